import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const configErrors: ErrorCatalogue = {
  CONFIG_MISSING: {
    summary: "a variable without a default is not set, or is empty",
    action: "set the variable, or its `_FILE` variable",
  },
  CONFIG_INVALID: {
    summary: "the value of a variable is invalid",
    action: "correct the value; the message names its source",
  },
  CONFIG_CHECK: {
    summary: "a function in `checks` rejects the combination of several settings, or throws",
    action: "correct the settings that the check's message names; a thrown error is the `cause`",
  },
  CONFIG_TWO_SOURCES: {
    summary: "a variable and its `_FILE` variable are both set in one source",
    action: "remove one of the two",
  },
  CONFIG_BAD_FILE: {
    summary:
      "a `.env` file is malformed, the file of a `_FILE` variable is missing or empty, or either is too large, not UTF-8, or unreadable",
    action: "correct the file; the message names it, and the line of a malformed `.env` file",
  },
  CONFIG_MISSPELT: {
    summary: "a variable is set whose name is close to that of an unset setting",
    action: "correct the name, or list a variable of another program in `ignore`",
  },
  CONFIG_NOT_FROM_FILE: {
    summary:
      "a `.env` file sets `HOST`, `PORT`, `FRAMEWORK_ENV` or `FRAMEWORK_TRANSPORT`, which `run` reads from the environment only",
    action:
      "set the variable in the environment, or list it in `ignore` if the variable in the file is for another program",
  },
  CONFIG_BAD_SETTING: {
    summary:
      "the definition of the configuration is wrong: a name is malformed or used twice, a default breaks its own rule, a field is not a setting, or an option is unknown",
    action: "correct the definition",
  },
  CONFIG_BAD_MODE: {
    summary: "the mode is not a word of up to 40 letters, digits, `_` and `-`",
    action: "correct `mode` or `FRAMEWORK_ENV`",
  },
  CONFIG_NOT_READ: {
    summary: "`configSources` or `configSummary` got an object that `readConfig` did not return",
    action: "pass the whole configuration, not a part or a copy",
  },
};
