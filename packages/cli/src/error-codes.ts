import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of the command line. */
export const cliErrors: ErrorCatalogue = {
  CLI_APP_FAILED: {
    summary:
      "the module of the app, or the function that creates it, threw an error, or an uncaught error ended the process",
    action: "the message quotes the error; run the program itself to see the stack",
  },
  CLI_BAD_HISTORY: {
    summary: "the history file of `framework load` is not a list of measurements",
    action: "correct or remove the file that the message names, or name another with `--history`",
  },
  CLI_BAD_MANIFEST: {
    summary: "a manifest cannot be parsed or is larger than 1 MiB, so it was not checked",
    action: "correct the place that the message names, or split the file",
  },
  CLI_BAD_PACKAGE_JSON: {
    summary:
      "a package.json of the project or of an installed package cannot be read or is not a JSON object",
    action: "correct the file that the message names",
  },
  CLI_BAD_REPLY: {
    summary:
      "the app did not reply to a request of `framework request`, `explain` or `client` in time, or the request is malformed",
    action: "correct the request or the app; the message has the reason",
  },
  CLI_DUPLICATE_CORE: {
    summary: "a package brings its own copy of `@framework/core`",
    action: "run `npm dedupe`, or update the package",
  },
  CLI_ENDED_EARLY: {
    summary:
      "the app ended the process of the command, or awaits something that never happens while nothing else keeps the process alive",
    action:
      "do not exit the process in the app's module, and do not wait there for something that only a running service has",
  },
  CLI_IN_PRODUCTION: {
    summary: "a command that runs the app in debug mode was called with `FRAMEWORK_ENV=production`",
    action: "run it in development",
  },
  CLI_NO_APP: {
    summary:
      "no module with an app was found, it exports no app and no function that creates one, or it calls `run` itself",
    action:
      "pass the path, as `src/app.ts` or `src/app.ts#createApp`, or name it in `package.json` as `framework.app`",
  },
  CLI_NO_DOCUMENT: {
    summary:
      "`framework client` found no OpenAPI document: the app does not serve one, or the file is missing or is not JSON",
    action: "call `enableOpenapi()` of `@framework/openapi`, or pass `--path` or `--document`",
  },
  CLI_NO_FEATURE: {
    summary: "a command needs a feature that the app does not have",
    action: "name the feature in `App.with` and enable it; the message has both",
  },
  CLI_NO_ITEM: {
    summary: "no job, parked item or saga has that name or id",
    action: "list them: `framework jobs`, `framework parked`, `framework sagas`",
  },
  CLI_NO_PACKAGE: {
    summary: "a command needs a package that the project does not have, or the folder has no project",
    action: "install the package that the message names, or run the command in the folder of the project",
  },
  CLI_NO_PROBE: {
    summary: "a Kubernetes workload has no readiness probe: pods get requests before they can reply",
    action: "add a `readinessProbe` that requests `GET /health/ready`",
  },
  CLI_NO_PROGRAM: {
    summary:
      "the script `start` of package.json names a program that does not exist, or none that doctor can check",
    action: "build the program, or name it: `framework doctor src/main.ts`",
  },
  CLI_NO_READINESS: {
    summary:
      "the app has no readiness check, so an orchestrator cannot see whether it is starting or draining",
    action: "call `enableHealthChecks()` of `@framework/health`",
  },
  CLI_NO_REPORT: {
    summary: "the program printed no report for `--check`: it failed or waited before its call of `run`",
    action: "the message quotes its error; give it the variables that it needs",
  },
  CLI_NO_SERVICE: {
    summary: "no program to start was found, or it ended or did not listen in time",
    action: "the message has its last lines; name the program, and give it the variables that it needs",
  },
  CLI_NPM_FAILED: {
    summary: "npm, or the project's package manager, failed: it cannot reach the registry, or cannot install",
    action:
      "correct the error that the message quotes; after a failed upgrade `package.json` and the lock file are restored",
  },
  CLI_PROXY_UNTRUSTED: {
    summary: "a manifest has a proxy in front of the service, and `trustedProxies` is empty",
    action: "pass the proxy's addresses to `run` as `trustedProxies`",
  },
  CLI_SHORT_GRACE: {
    summary: "the orchestrator kills the process before its drain can finish",
    action:
      "raise the grace period above the drain and the preStop hook, or lower `cluster.shutdownTimeoutSecs`",
  },
  CLI_UNKNOWN_CODE: {
    summary: "neither an installed package nor the project has that error code",
    action: "use the code that the message suggests; `framework explain` without arguments lists all",
  },
  CLI_USAGE: {
    summary: "the command line has an unknown command or option, a missing argument or a wrong value",
    action: "correct the word that the message names; `--help` lists all",
  },
  CLI_VERSION_SKEW: {
    summary: "the installed version of a package is outside the range that another one needs",
    action: "update the package that the message names",
  },
  CLI_WEAK_SECRET: {
    summary: "a variable for a secret has a placeholder or another value that is easy to guess",
    action: "generate a secret: `openssl rand -base64 32`",
  },
};
