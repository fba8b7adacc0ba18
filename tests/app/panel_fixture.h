// The form's models on a fake engine, as the panels of prompt and parameters need them.
#pragma once

#include <QTemporaryDir>

#include "app_fixture.h"
#include "models/model_list.h"
#include "models/plan_model.h"
#include "models/preset_list.h"
#include "models/prompt_history.h"
#include "models/prompt_tokens.h"
#include "models/request_draft.h"

namespace reelmesh {

class PanelTest : public ::testing::Test {
protected:
    explicit PanelTest(const FakeScript& script = {}) {
        draft_.connectTo(client_);
        openFake(client_, script);
    }
    ::testing::AssertionResult known() {
        return eventually([&] { return draft_.rules() && plan_.isCurrent() && tokens_.isCurrent(); });
    }
    ::testing::AssertionResult planned() {
        return eventually([&] { return plan_.isCurrent(); });
    }
    void useModel(const QString& folder) {
        waitForRules(folder);
        EXPECT_TRUE(known());
    }

    QTemporaryDir folder_;
    EngineClient client_;
    RequestDraft draft_;
    PlanModel plan_{client_, draft_};
    PromptTokens tokens_{client_, draft_};
    PromptHistory history_;
    PresetList presets_{draft_, folder_.filePath("presets")};
    ModelList models_{client_};

private:
    void waitForRules(const QString& folder) {
        bool asked = false;
        const auto once = QObject::connect(&draft_, &RequestDraft::rulesChanged, [&] { asked = true; });
        draft_.setModel(folder);
        EXPECT_TRUE(eventually([&] { return asked; }));
        QObject::disconnect(once);
    }
};

} // namespace reelmesh
