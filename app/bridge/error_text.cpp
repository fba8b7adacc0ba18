#include "error_text.h"

namespace reelmesh {

NextAction nextAction(ErrorCode code) {
    switch (code) {
    case ErrorCode::PromptTooLong:
    case ErrorCode::PromptNotUtf8: return NextAction::EditPrompt;
    case ErrorCode::MeshSyntax:
    case ErrorCode::MeshIllegal:
    case ErrorCode::MeshNotInBuild:
    case ErrorCode::MeshTooLarge: return NextAction::AutomaticMesh;
    case ErrorCode::OutputExists:
    case ErrorCode::FolderMissing:
    case ErrorCode::NotWritable:
    case ErrorCode::DiskFull:
    case ErrorCode::QuotaExceeded:
    case ErrorCode::WriteFailed: return NextAction::ChooseFolder;
    case ErrorCode::None:
    case ErrorCode::Canceled:
    case ErrorCode::EngineLibrary: return NextAction::None;
    default: return NextAction::Retry;
    }
}

std::vector<NextAction> nextActions(ErrorCode code) {
    switch (code) {
    case ErrorCode::None:
    case ErrorCode::Canceled:
    case ErrorCode::EngineLibrary: return {};
    case ErrorCode::BadField:
    case ErrorCode::UnknownField:
    case ErrorCode::MemoryTooSmall:
    case ErrorCode::NotFinite: return {NextAction::EditPrompt};
    case ErrorCode::OutOfMemory:
    case ErrorCode::CommunicatorMismatch:
    case ErrorCode::CommunicatorTimeout:
    case ErrorCode::CommunicatorAborted: return {NextAction::Retry, NextAction::AutomaticMesh};
    default: break;
    }
    const NextAction first = nextAction(code);
    // What was in the way may be gone by now.
    if (first == NextAction::ChooseFolder) return {first, NextAction::Retry};
    return {first};
}

} // namespace reelmesh
