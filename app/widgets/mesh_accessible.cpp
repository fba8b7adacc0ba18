#include "mesh_accessible.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QPointer>

#include <map>

#include "widgets/mesh_picture.h"

namespace reelmesh {
namespace {

/// One rank's card.
class RankItem : public QAccessibleInterface {
public:
    RankItem(MeshPicture& picture, int rank) : picture_(&picture), rank_(rank) {}

    bool isValid() const override {
        return picture_ && rank_ < static_cast<int>(picture_->scene().cards.size());
    }
    QObject* object() const override { return nullptr; }
    QAccessibleInterface* parent() const override {
        return picture_ ? QAccessible::queryAccessibleInterface(picture_) : nullptr;
    }
    QAccessibleInterface* child(int) const override { return nullptr; }
    QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    QRect rect() const override {
        if (!isValid()) return {};
        const QRect card = picture_->rankRect(rank_);
        return {picture_->mapToGlobal(card.topLeft()), card.size()};
    }
    QAccessible::Role role() const override { return QAccessible::ListItem; }
    QString text(QAccessible::Text kind) const override {
        return kind == QAccessible::Name && isValid() ? picture_->rankText(rank_) : QString();
    }
    void setText(QAccessible::Text, const QString&) override {}
    QAccessible::State state() const override {
        QAccessible::State state;
        state.invalid = !isValid();
        if (!isValid()) return state;
        state.selectable = state.focusable = true;
        state.selected = picture_->selectedRank() == rank_;
        state.focused = picture_->hasFocus() && picture_->currentRank() == rank_;
        return state;
    }

private:
    QPointer<MeshPicture> picture_;
    int rank_;
};

class MeshList : public QAccessibleWidget {
public:
    explicit MeshList(MeshPicture& picture) : QAccessibleWidget(&picture, QAccessible::List) {}
    ~MeshList() override {
        for (const auto& [rank, id] : items_)
            QAccessible::deleteAccessibleInterface(id);
    }

    int childCount() const override { return static_cast<int>(picture().scene().cards.size()); }
    QAccessibleInterface* child(int index) const override {
        if (index < 0 || index >= childCount()) return nullptr;
        const auto found = items_.find(index);
        if (found != items_.end()) return QAccessible::accessibleInterface(found->second);
        auto* item = new RankItem(picture(), index);
        items_[index] = QAccessible::registerAccessibleInterface(item);
        return item;
    }
    int indexOfChild(const QAccessibleInterface* child) const override {
        for (const auto& [rank, id] : items_)
            if (QAccessible::accessibleInterface(id) == child) return rank;
        return -1;
    }
    QAccessibleInterface* childAt(int x, int y) const override {
        return child(picture().rankAt(picture().mapFromGlobal(QPoint(x, y))));
    }
    QAccessibleInterface* focusChild() const override {
        return picture().hasFocus() ? child(picture().currentRank()) : nullptr;
    }

private:
    MeshPicture& picture() const { return *static_cast<MeshPicture*>(widget()); }

    mutable std::map<int, QAccessible::Id> items_;
};

QAccessibleInterface* makeInterface(const QString&, QObject* object) {
    if (auto* picture = qobject_cast<MeshPicture*>(object)) return new MeshList(*picture);
    return nullptr;
}

} // namespace

void installMeshAccessible() {
    QAccessible::installFactory(makeInterface);
}

void announceRank(MeshPicture& picture, int rank) {
    if (!QAccessible::isActive()) return;
    QAccessibleEvent event(&picture, QAccessible::Focus);
    event.setChild(rank);
    QAccessible::updateAccessibility(&event);
}

} // namespace reelmesh
