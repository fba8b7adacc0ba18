#include "frame_image.h"

#include <QRgba64>

#include <cstring>

namespace reelmesh {
namespace {

using SharedBytes = std::shared_ptr<const std::byte[]>;

QImage widened(const Frame& frame) {
    QImage image(frame.width, frame.height, QImage::Format_RGBX64);
    for (int y = 0; y < frame.height; ++y) {
        const auto* from = reinterpret_cast<const quint16*>(frame.row(y));
        auto* to = reinterpret_cast<QRgba64*>(image.scanLine(y));
        for (int x = 0; x < frame.width; ++x, from += 3)
            to[x] = QRgba64::fromRgba64(from[0], from[1], from[2], 0xFFFF);
    }
    return image;
}

} // namespace

QImage frameImage(const Frame& frame) {
    if (!frame.bytes || frame.width <= 0 || frame.height <= 0) return {};
    if (frame.format == PixelFormat::Rgb16) return widened(frame);
    auto* owner = new SharedBytes(frame.bytes);
    return QImage(
        frame.row(0), frame.width, frame.height, static_cast<qsizetype>(frame.stride), QImage::Format_RGB888,
        [](void* shared) { delete static_cast<SharedBytes*>(shared); }, owner);
}

Frame frameOf(const QImage& image) {
    const QImage rgb = image.convertToFormat(QImage::Format_RGB888);
    const std::size_t stride = static_cast<std::size_t>(rgb.width()) * 3;
    const std::shared_ptr<std::byte[]> bytes(new std::byte[stride * static_cast<std::size_t>(rgb.height())]);
    for (int y = 0; y < rgb.height(); ++y)
        std::memcpy(bytes.get() + static_cast<std::size_t>(y) * stride, rgb.constScanLine(y), stride);
    return {rgb.width(), rgb.height(), PixelFormat::Rgb8, stride, bytes};
}

} // namespace reelmesh
