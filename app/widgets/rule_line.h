// A hairline between groups of a form. GUI thread.
#pragma once

#include <QPainter>
#include <QWidget>

#include "theme/palette.h"

namespace reelmesh {

class RuleLine : public QWidget {
public:
    explicit RuleLine(QWidget* parent = nullptr) : QWidget(parent) { setFixedHeight(1); }

protected:
    void paintEvent(QPaintEvent*) override { QPainter(this).fillRect(rect(), tokens(palette()).border); }
};

} // namespace reelmesh
