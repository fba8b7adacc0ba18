#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <iostream>

#include "support/expect_error.h"
#include "weights/safetensors.h"
#include "weights/safetensors_bytes.h"

namespace reelmesh::testing {
namespace {

namespace fs = std::filesystem;

Error opening_error(const std::string& path) {
    return error_of([&] { SafetensorsFile file(path); });
}

const std::string kGood = safetensors_bytes(one_tensor("F32", "[2,2]", "[0,16]"), 16);

TEST(SafetensorsFileTest, CutAtEveryByteIsTruncatedWithBothSizes) {
    const ScratchFolder folder;
    const std::string path = folder / "x.safetensors";
    const std::string whole = safetensors_bytes(one_tensor("F32", "[20,24]", "[0,1920]"), 1920);
    ASSERT_GT(whole.size(), 1900u);
    for (std::size_t size = 1; size < whole.size(); ++size) {
        write_file(path, whole.substr(0, size));
        const Error error = opening_error(path);
        ASSERT_EQ(error.code, ErrorCode::Truncated) << size;
        ASSERT_EQ(error.text("found_bytes"), std::to_string(size));
        const std::uint64_t needed = std::stoull(error.text("needed_bytes"));
        ASSERT_GT(needed, size);
        ASSERT_LE(needed, whole.size());
    }
    write_file(path, whole);
    EXPECT_NO_THROW(SafetensorsFile{path});
    write_file(path, whole + "abc");
    EXPECT_EQ(opening_error(path).code, ErrorCode::TrailingBytes);
    EXPECT_EQ(opening_error(path).text("found_bytes"), "3");
}

TEST(SafetensorsFileTest, LengthWordIsJudgedFirst) {
    const ScratchFolder folder;
    const std::string path = folder / "x.safetensors";
    const auto verdict = [&](std::uint64_t length) {
        write_file(path, length_word(length) + "{}");
        return opening_error(path).code;
    };
    EXPECT_EQ(verdict(0), ErrorCode::HeaderSyntax);
    EXPECT_EQ(verdict(3), ErrorCode::Truncated);
    EXPECT_EQ(verdict(100'000'000), ErrorCode::Truncated);
    EXPECT_EQ(verdict(100'000'001), ErrorCode::HeaderTooLong);
    EXPECT_EQ(verdict(std::uint64_t{1} << 63), ErrorCode::HeaderTooLong);
    EXPECT_EQ(verdict(~std::uint64_t{0}), ErrorCode::HeaderTooLong);
}

TEST(SafetensorsFileTest, WhatIsNoModelIsNamed) {
    const ScratchFolder folder;
    const std::string path = folder / "x.safetensors";
    const auto found = [&](const std::string& content) {
        write_file(path, content);
        const Error error = opening_error(path);
        EXPECT_EQ(error.code, ErrorCode::NotAModel);
        return error.text("found");
    };
    EXPECT_NE(found("").find("empty file"), std::string::npos);
    EXPECT_NE(
        found("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n").find("Git LFS pointer"),
        std::string::npos);
    EXPECT_NE(found("<!DOCTYPE html><html></html>").find("web page"), std::string::npos);
    EXPECT_NE(found("\n  <html><body>404</body></html>").find("web page"), std::string::npos);
    fs::remove(path);
    EXPECT_EQ(opening_error(path).code, ErrorCode::FileMissing);
    fs::create_directory(path);
    const Error directory = opening_error(path);
    EXPECT_EQ(directory.code, ErrorCode::NotAModel);
    EXPECT_NE(directory.text("found").find("directory"), std::string::npos);
}

TEST(SafetensorsFileTest, LengthWordsThatLookLikeTagsAreLengths) {
    const ScratchFolder folder;
    const std::string path = folder / "x.safetensors";
    for (const std::size_t length : {std::size_t{'<'}, std::size_t{'<'} << 8 | ' '}) {
        std::string header = one_tensor("F32", "[]", "[0,4]");
        if (header.size() > length) header = "{}";
        header.resize(length, ' ');
        write_file(path, safetensors_bytes(header, header[1] == '}' ? 0 : 4));
        EXPECT_NO_THROW(SafetensorsFile{path}) << length;
    }
}

TEST(SafetensorsFileTest, LinksLeadToFilesOnly) {
    const ScratchFolder folder, outside;
    write_file(outside / "blob", kGood);
    fs::create_symlink(outside / "blob", folder / "good");
    EXPECT_NO_THROW(SafetensorsFile{folder / "good"});

    ASSERT_EQ(::mkfifo((outside / "fifo").c_str(), 0600), 0);
    fs::create_symlink(outside / "absent", folder / "dangling");
    fs::create_symlink(folder / "loop", folder / "loop");
    fs::create_symlink(outside.path(), folder / "directory");
    fs::create_symlink("/dev/zero", folder / "device");
    fs::create_symlink(outside / "fifo", folder / "fifo");
    for (const char* name : {"dangling", "loop", "directory", "device", "fifo"}) {
        const Error error = opening_error(folder / name);
        EXPECT_EQ(error.code, ErrorCode::BadLink) << name;
        EXPECT_EQ(error.text("file"), folder / name);
    }
}

TEST(SafetensorsFileTest, ReadOnlyFolderStaysAsItIs) {
    const ScratchFolder folder;
    write_file(folder / "x", kGood);
    fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
    EXPECT_NO_THROW(SafetensorsFile{folder / "x"});
    EXPECT_EQ(folder.names(), std::vector<std::string>{"x"});
    fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST(SafetensorsFileTest, ReadsByPositionAndNoticesShrinking) {
    const ScratchFolder folder;
    const std::string header = one_tensor("U8", "[6]", "[0,6]"); // ends at an odd address
    write_file(folder / "x", length_word(header.size()) + header + "abcdef");
    const SafetensorsFile file(folder / "x");
    const TensorEntry& entry = file.tensors().at("a");
    std::string bytes(3, ' ');
    file.read(entry, 2, bytes.data(), 3);
    EXPECT_EQ(bytes, "cde");
    EXPECT_EQ(error_of([&] { file.read(entry, 4, bytes.data(), 3); }).code, ErrorCode::Internal);
    fs::resize_file(folder / "x", file.file_bytes() - 2);
    EXPECT_EQ(error_of([&] { file.read(entry, 3, bytes.data(), 3); }).code, ErrorCode::Truncated);
}

/// Peak memory of a child process that runs the function, KiB.
template <class F>
long peak_kib(F&& function) {
    const pid_t child = ::fork();
    if (child == 0) {
        function();
        ::_exit(0);
    }
    int status = 0;
    rusage usage{};
    ::wait4(child, &status, 0, &usage);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return usage.ru_maxrss;
}

/// Opens the file in a child; the header's promised bounds: 12 times its size, 5 s (five times that guards).
void expect_bounded(const std::string& path, std::size_t header_bytes, ErrorCode verdict) {
#ifdef REELMESH_SANITIZED
    GTEST_SKIP() << "sanitizers multiply memory and time";
#endif
    const auto start = std::chrono::steady_clock::now();
    const long idle = peak_kib([] {});
    const long busy = peak_kib([&] {
        try {
            SafetensorsFile file(path);
            if (verdict != ErrorCode::None) ::_exit(1);
        } catch (const EngineException& exception) {
            if (exception.error().code != verdict) ::_exit(2);
        }
    });
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const double factor = static_cast<double>(busy - idle) * 1024 / static_cast<double>(header_bytes);
    std::cout << "header of " << header_bytes << " bytes: " << seconds.count() << " s, " << factor
              << " times its size\n";
    EXPECT_LT(seconds.count(), 25.0);
    EXPECT_LE(factor, 12.0);
}

TEST(SafetensorsFileTest, MillionTensorsAreBounded) {
    const ScratchFolder folder;
    std::string header = "{";
    for (int index = 0; index < 1'000'000; ++index) {
        const std::string number = std::to_string(1'000'000 + index * 7919LL % 1'000'000);
        header += (index ? ",\"t" : "\"t") + number + R"(":{"dtype":"F32","shape":[1],"data_offsets":[)" +
                  std::to_string(index * 4) + "," + std::to_string(index * 4 + 4) + "]}";
    }
    header += "}";
    ASSERT_GT(header.size(), 65'000'000u);
    write_file(folder / "x", safetensors_bytes(header, 4'000'000));
    expect_bounded(folder / "x", header.size(), ErrorCode::None);
}

TEST(SafetensorsFileTest, TensorsOnTheSameBytesAreRefused) {
    const ScratchFolder folder;
    std::string header = "{";
    for (int index = 0; index < 100'000; ++index)
        header += (index ? ",\"t" : "\"t") + std::to_string(index) +
                  R"(":{"dtype":"F32","shape":[200,200],"data_offsets":[0,160000]})";
    write_file(folder / "x", safetensors_bytes(header + "}", 160'000));
    expect_bounded(folder / "x", header.size(), ErrorCode::GapOrOverlap);
}

TEST(SafetensorsFileTest, LongestHeadersAreBounded) {
    constexpr std::size_t kLongest = 100'000'000;
    const ScratchFolder folder;
    const auto expect_for = [&](std::string header, ErrorCode verdict) {
        write_file(folder / "x", safetensors_bytes(header, 0));
        expect_bounded(folder / "x", header.size(), verdict);
    };
    std::string padded(kLongest, ' ');
    padded.replace(0, 2, "{}");
    expect_for(std::move(padded), ErrorCode::None);
    std::string broken(kLongest, '\n');
    broken.front() = '{';
    broken.back() = 'x';
    expect_for(std::move(broken), ErrorCode::HeaderSyntax);
    std::string open_name(kLongest, 'n');
    open_name.replace(0, 2, "{\"");
    expect_for(std::move(open_name), ErrorCode::HeaderSyntax);
    std::string brackets(kLongest, '[');
    brackets.replace(0, 5, "{\"a\":");
    expect_for(std::move(brackets), ErrorCode::HeaderSyntax);
    std::string ranks = R"({"a":{"dtype":"F32","data_offsets":[0,4],"shape":[1)";
    while (ranks.size() < kLongest - 3)
        ranks += ",1";
    expect_for(ranks + "]}}", ErrorCode::Truncated);
    std::string negatives = R"({"a":{"dtype":"F32","data_offsets":[0,4],"shape":[1)";
    while (negatives.size() < kLongest - 4)
        negatives += ",-1";
    expect_for(negatives + "]}}", ErrorCode::BadNumber);
}

TEST(SafetensorsFileTest, GoldenFilesOpen) {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(REELMESH_TEST_DATA "/goldens"))
        if (entry.path().extension() == ".safetensors") {
            EXPECT_NO_THROW(SafetensorsFile{entry.path()}) << entry.path();
            ++count;
        }
    EXPECT_GT(count, 50u);
}

} // namespace
} // namespace reelmesh::testing
