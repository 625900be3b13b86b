import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const staticFilesErrors: ErrorCatalogue = {
  STATIC_FILES_NO_DIRECTORY: {
    summary: "the path does not exist or is not a folder; the app does not start",
    action: "create the folder, or correct `directory`",
  },
  STATIC_FILES_SHORT_FILE: {
    summary:
      "logged: a file was truncated while it was sent; the connection was closed, or the reply was a 500",
    action: "replace a file by renaming a new one over it",
  },
};
