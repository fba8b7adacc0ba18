// An amber frame around a field whose value is illegal: an overlay that takes no clicks and follows the
// field. GUI thread.
#pragma once

#include <QWidget>

namespace reelmesh {

class FaultFrame : public QWidget {
    Q_OBJECT

public:
    /// Lies over the field and belongs to it.
    explicit FaultFrame(QWidget& field);
    void setFault(bool fault) { setVisible(fault); }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
};

} // namespace reelmesh
