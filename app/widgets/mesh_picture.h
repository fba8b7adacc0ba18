// The mesh as a picture: a card a rank, links between the ranks that exchange, as wide as what they moved. A
// card or a link can be selected with the mouse; cards with the arrows and Enter, Esc clears. Repaints when
// it is told something, never by itself. Knows no model. GUI thread.
#pragma once

#include <QVariantList>
#include <QWidget>

#include <optional>

#include "widgets/mesh_layout.h"

namespace reelmesh {

class MeshPicture : public QWidget {
    Q_OBJECT
    Q_PROPERTY(QString text READ text)

public:
    /// A group of ranks, named as in ViewFocus.
    struct LinkName {
        ExchangeGroup group = ExchangeGroup::Vae;
        int firstRank = 0;
        bool operator==(const LinkName&) const = default;
    };
    static constexpr int kNone = -1;

    explicit MeshPicture(QWidget* parent = nullptr);

    void setScene(const MeshScene& scene);
    void setSelection(int rank, const std::optional<LinkName>& link);
    const MeshScene& scene() const { return scene_; }
    CardKind cardKind() const { return layout_.kind; }
    int selectedRank() const { return rank_; }
    int currentRank() const { return current_; }

    /// "GPU 3 c0 u3, compute, busy 93 %, memory 33.6/80 GiB, step 922 ms, slowest".
    QString rankText(int rank) const;
    QRect rankRect(int rank) const;
    int rankAt(const QPoint& at) const;
    /// All ranks, a line each.
    QString text() const;
    /// Cards and links for tests: name, rect, text.
    Q_INVOKABLE QVariantList uiItems() const;

    QSize sizeHint() const override;
    /// What the height must be at this width so that nothing is cut off, where so much is there anyway.
    int heightFor(int width, int available) const;

Q_SIGNALS:
    void rankClicked(int rank);
    void linkClicked(reelmesh::ExchangeGroup group, int firstRank);
    /// Escape, or a click beside everything.
    void cleared();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    void layOut();
    /// The nearest link within reach; -1: none.
    int linkAt(const QPointF& at) const;
    QString linkText(const MeshLink& link) const;
    QString pillText(const MeshLink& link) const;
    QRectF pillRect(const LinkShape& shape) const;
    double widthOf(const LinkShape& shape) const;
    bool isSelected(const MeshLink& link) const;
    void paintLinks(QPainter& painter) const;
    void paintPills(QPainter& painter) const;
    void paintBoxes(QPainter& painter) const;
    void paintHeads(QPainter& painter) const;
    void moveCurrent(int dx, int dy);

    MeshScene scene_;
    MeshLayout layout_;
    int rank_ = kNone; ///< selected
    std::optional<LinkName> link_;
    int current_ = 0; ///< of the keyboard
    int hoveredRank_ = kNone, hoveredLink_ = kNone;
};

} // namespace reelmesh
