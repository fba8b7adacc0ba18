#include <QApplication>

#include <gtest/gtest.h>

#include "theme/style.h"

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    QApplication application(argc, argv);
    reelmesh::applyTheme(application, reelmesh::Theme::Dark);
    return RUN_ALL_TESTS();
}
