// The load of GPUs, CPU ranks and the machine: the newest sample and the last minute of each quantity.
// Entries stand in the order of the cards: GPUs as in nvidia-smi, ranks, the machine. GUI thread.
#pragma once

#include <QObject>
#include <QStringList>

#include <array>
#include <vector>

#include "engine/events.h"
#include "load_history.h"

namespace reelmesh {

/// Of one card. What an entry does not have stays empty.
enum class LoadQuantity {
    Busy,     ///< share of a GPU's time, of a rank's threads, of the machine's cores by all programs
    Memory,   ///< bytes in use on a GPU; of the machine: all but the free ones
    Power,    ///< W
    Heat,     ///< °C
    Clock,    ///< MHz
    Link,     ///< bytes/s in and out, NVLink or else PCIe
    Cores,    ///< busy ones of a rank, of this program
    Resident, ///< bytes of this program
    Free,     ///< bytes
    Pressure, ///< share of time that tasks waited for memory
};
inline constexpr int kLoadQuantities = 10;

struct LoadEntry {
    enum class Kind { Gpu, Rank, Machine };

    Kind kind = Kind::Gpu;
    int index = 0;  ///< of the card among all
    int number = 0; ///< of the GPU or rank
    int rank = -1;  ///< that runs here; -1: none
    DeviceLoad device;
    RankLoad rankLoad;
    MachineLoad machine;
    double videoEnergy_j = kUnknown; ///< of the last finished job
    std::array<LoadHistory, kLoadQuantities> histories;

    const LoadHistory& history(LoadQuantity quantity) const {
        return histories[static_cast<std::size_t>(quantity)];
    }
    double value(LoadQuantity quantity) const { return history(quantity).last(); }
};

class DeviceLoadModel : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    void add(const LoadSample& sample);
    /// A job's energy is what the counters ran from its start to its end.
    void apply(const JobStateChanged& event);
    /// Of the mesh in use: a device a rank ("cuda:3", "cpu") and a place a rank ("c0 u3"); empty: unknown.
    void setRanks(const QStringList& devices, const QStringList& places);

    const std::vector<LoadEntry>& entries() const { return entries_; }
    QString place(int rank) const { return places_.value(rank); }
    const QString& driver() const { return driver_; }           ///< "": there is none
    const QString& noGpuReason() const { return noGpuReason_; } ///< "": there is a GPU, or no sample yet
    int samplesPerSecond() const { return samplesPerSecond_; }  ///< 0: not known yet
    bool hasSample() const { return lastTime_ns_ != 0; }

Q_SIGNALS:
    /// Other cards than before.
    void entriesChanged();
    /// New figures.
    void changed();

private:
    void arrange(const LoadSample& sample);
    void assignRanks();

    std::vector<LoadEntry> entries_;
    QStringList devices_, places_;
    QString driver_, noGpuReason_;
    std::int64_t lastTime_ns_ = 0;
    int samplesPerSecond_ = 0;
    std::vector<double> energyAtStart_j_; ///< by GPU
};

} // namespace reelmesh
