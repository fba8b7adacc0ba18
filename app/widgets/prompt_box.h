// The frame around a prompt and its foot row: one border for both, in accent while the text has the focus,
// and a hairline that shows how much of the limit is used. Knows no model. GUI thread.
#pragma once

#include <QWidget>

class QHBoxLayout;

namespace reelmesh {

class PromptEdit;

class PromptBox : public QWidget {
    Q_OBJECT

public:
    enum class Foot { None, Row };
    PromptBox(PromptEdit* edit, Foot foot, QWidget* parent = nullptr);
    /// Of the foot row.
    QHBoxLayout& foot() { return *foot_; }
    /// 0 ... 1 of the limit; above 1 in amber.
    void setUsed(double fraction);

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    PromptEdit* edit_;
    QHBoxLayout* foot_ = nullptr;
    double used_ = 0;
};

} // namespace reelmesh
