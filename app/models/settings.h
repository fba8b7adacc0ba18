// What the user chose for the program, kept in one JSON file that is written a moment after a change. A
// damaged file is put aside, never overwritten, and the defaults hold. GUI thread.
#pragma once

#include <QJsonObject>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

namespace reelmesh {

class Settings : public QObject {
    Q_OBJECT

public:
    enum class ThemeChoice { Dark, Light, System };
    Q_ENUM(ThemeChoice)
    enum class AfterFailure { Continue, Pause };
    Q_ENUM(AfterFailure)

    static constexpr int kLeastScale = 80, kMostScale = 200;

    /// file "": nothing is kept.
    explicit Settings(QString file = {}, QObject* parent = nullptr);
    ~Settings() override; ///< writes what has not been written

    /// Reads the file; "": fine, else a sentence that says what was wrong and where the old file is.
    QString load();

    ThemeChoice theme() const { return theme_; }
    int scalePercent() const { return scalePercent_; } ///< holds from the next start on
    QString outputFolder() const { return outputFolder_; }
    QStringList modelFolders() const { return modelFolders_; }
    AfterFailure afterFailure() const { return afterFailure_; }
    bool welcomed() const { return welcomed_; } ///< the strip of the first run was closed
    int traceDetail() const { return traceDetail_; }

    void setTheme(ThemeChoice theme) { set(theme_, theme); }
    void setScalePercent(int percent);
    void setOutputFolder(const QString& folder) { set(outputFolder_, folder); }
    void setModelFolders(const QStringList& folders) { set(modelFolders_, folders); }
    void removeModelFolder(const QString& folder);
    void setAfterFailure(AfterFailure what) { set(afterFailure_, what); }
    void setWelcomed(bool welcomed) { set(welcomed_, welcomed); }
    void setTraceDetail(int detail);

    /// The figure that a start needs before there is a program: 100 if none is stored.
    static int storedScalePercent(const QString& file);

Q_SIGNALS:
    void changed();
    /// The file cannot be written.
    void writeFailed(const QString& reason);

private:
    template <class Value>
    void set(Value& stored, const Value& value) {
        if (stored == value) return;
        stored = value;
        noteChange();
    }
    void noteChange();
    void write();
    QJsonObject toJson() const;
    void fromJson(const QJsonObject& json);

    QString file_;
    QTimer writeTimer_;
    bool unsaved_ = false;

    ThemeChoice theme_ = ThemeChoice::Dark;
    int scalePercent_ = 100;
    QString outputFolder_;
    QStringList modelFolders_;
    AfterFailure afterFailure_ = AfterFailure::Continue;
    bool welcomed_ = false;
    int traceDetail_ = 1;
    QJsonObject unknown_; ///< keys of another version, kept as they came
};

} // namespace reelmesh
