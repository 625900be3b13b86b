import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of the command line. */
export const cliErrors: ErrorCatalogue = {
  CLI_APP_FAILED: {
    summary: "the module of the app, or the function that creates it, threw an error",
    action: "the message has its words; run the program itself to see the stack",
  },
  CLI_BAD_REPLY: {
    summary:
      "the app has no answer for a request that `framework request` made: it failed to start, or the request is malformed",
    action: "the message has the reason",
  },
  CLI_IN_PRODUCTION: {
    summary: "a command that runs the app under debug was called with `FRAMEWORK_ENV=production`",
    action: "call it where you develop",
  },
  CLI_NO_APP: {
    summary: "no module with an app was found, or it exports no app and no function that creates one",
    action:
      "pass the path, as `src/app.ts` or `src/app.ts#createApp`, or name it in `package.json` as `framework.app`",
  },
  CLI_UNKNOWN_CODE: {
    summary: "no installed package has an error code of that name",
    action: "the message has the nearest one; `framework explain` without arguments lists all",
  },
  CLI_USAGE: {
    summary: "the command line has an unknown command or option, a missing argument or a wrong value",
    action: "the message names the nearest one; `--help` lists all",
  },
};
