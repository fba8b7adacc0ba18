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

} // namespace reelmesh
