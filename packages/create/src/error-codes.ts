import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const createErrors: ErrorCatalogue = {
  CREATE_BAD_NAME: {
    summary:
      "the name of the service is not 1 to 40 lower-case letters, digits and single dashes, or is a keyword or number of YAML",
    action:
      "choose a name such as `my-service`: it becomes a folder, a package, an image and a Kubernetes object",
  },
  CREATE_NOT_EMPTY: {
    summary: "the folder is not empty, or is a file",
    action: "choose another name, or empty the folder",
  },
  CREATE_NO_NAME: {
    summary: "the prompt for the name was closed without an answer, as with Ctrl-D or Ctrl-C",
    action: "answer it, or pass the name: `npm create @framework my-service`",
  },
  CREATE_USAGE: {
    summary:
      "the command line or a call of `createService` has an unknown option, an invalid value or too many arguments",
    action: "correct the word that the message names; `--help` lists all options",
  },
};
