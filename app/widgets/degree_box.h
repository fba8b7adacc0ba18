// A spin box whose arrows, wheel and keys step over given values only; what is typed stays as it is. Knows no
// model. GUI thread.
#pragma once

#include <QList>
#include <QSpinBox>

namespace reelmesh {

class DegreeBox : public QSpinBox {
    Q_OBJECT

public:
    explicit DegreeBox(QWidget* parent = nullptr);

    /// Ascending.
    void setLegalValues(const QList<int>& values);
    const QList<int>& legalValues() const { return legal_; }
    void stepBy(int steps) override;

protected:
    StepEnabled stepEnabled() const override;

private:
    /// The next legal value in that direction; the value itself where there is none.
    int next(int value, int direction) const;

    QList<int> legal_;
};

} // namespace reelmesh
