import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const createErrors: ErrorCatalogue = {
  CREATE_BAD_NAME: {
    summary: "the name of the service is not 1 to 40 lower-case letters, digits and single dashes",
    action:
      "choose a name such as `my-service`: it becomes a folder, a package, an image and a Kubernetes object",
  },
  CREATE_NOT_EMPTY: {
    summary: "the folder has files already, or the name is that of a file",
    action: "choose another name, or empty the folder",
  },
  CREATE_NO_NAME: {
    summary: "the question for the name was left without an answer, as with Ctrl-D or Ctrl-C",
    action: "answer it, or give the name in the command: `npm create @framework my-service`",
  },
  CREATE_USAGE: {
    summary:
      "the command line or a call of `createService` has an unknown option or a wrong value, or too many words",
    action: "the message names the nearest option; `--help` lists all",
  },
};
