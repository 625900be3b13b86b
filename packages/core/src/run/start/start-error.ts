import { ConfigurationError, type Problem } from "../../errors/configuration-error.ts";
import { FrameworkError } from "../../errors/framework-error.ts";
import { toError } from "../../errors/to-error.ts";
import type { RegisteredListener } from "../../lifecycle/listener.ts";
import { causeChain } from "../../log/cause-chain.ts";
import { messageOf } from "../../log/value-text.ts";

/** The reason of a failed start, as data that a worker can send to the primary. */
export interface StartFailure {
  readonly problems: readonly Problem[];
  /** Whether the problems are those of a `ConfigurationError`. @default false */
  readonly isConfiguration?: boolean;
  /** Stack of the underlying error, without the error's message if the problem's message ends with it, then the stacks of all its causes. */
  readonly stack?: string;
}

/** Converts a thrown start error to data. */
export const toStartFailure = (thrown: unknown): StartFailure => {
  const error = Error.isError(thrown) ? toError(thrown) : thrown;
  if (FrameworkError.is(error) && Array.isArray((error as { problems?: unknown }).problems)) {
    return { problems: (error as unknown as ConfigurationError).problems, isConfiguration: true };
  }
  if (FrameworkError.is(error)) {
    return withStack({ code: codeOf(error), message: error.message }, error.cause);
  }
  return withStack({ code: "CORE_START_FAILED", message: messageOf(error) }, error);
};

/** The code that explains the failure: the code of a start task's error, if it has one. */
const codeOf = ({ code, cause }: FrameworkError): string =>
  code === "CORE_START_TASK" && FrameworkError.is(cause) ? cause.code : code;

/** Recreates the error of a failure from its data. */
export const fromStartFailure = ({ problems, isConfiguration, stack }: StartFailure): FrameworkError => {
  const [first, ...rest] = problems;
  if (first === undefined || rest.length > 0 || isConfiguration === true)
    return new ConfigurationError(problems);
  if (stack === undefined) return new FrameworkError(first.code, first.message);
  const cause = new Error(first.message);
  cause.stack = stack;
  return new FrameworkError(first.code, first.message, { cause });
};

/** The message on stderr about a failed start. */
export const startFailureText = ({ problems, stack }: StartFailure): string => {
  const lines = problems.map(({ code, message }) => `  ${code}: ${message}`);
  const why = problems.length > 1 ? `${problems.length} problems` : "1 problem";
  return [
    `The service did not start, ${why}:`,
    ...lines,
    ...(stack === undefined ? [] : [indent(stack)]),
    `Cause and remedy: npx @framework/cli explain ${codeToExplain(problems)}`,
    "",
  ].join("\n");
};

/** The code to pass to `explain`; a placeholder if there are several codes. */
const codeToExplain = (problems: readonly Problem[]): string => {
  const [code = "", ...others] = new Set(problems.map((problem) => problem.code));
  return others.length === 0 ? code : "CODE";
};

/**
 * Converts an error of `listen` to a FrameworkError with the address, the feature, the problem and a suggestion.
 *
 * @param orphans process ids of workers that hold the port although their primary has ended
 */
export const toListenError = (
  error: unknown,
  host: string,
  port: number,
  owner?: RegisteredListener,
  orphans: readonly number[] = [],
): FrameworkError => {
  const code = (error as { code?: unknown } | null)?.code;
  const [listenCode, explanation] = explain(typeof code === "string" ? code : "", host, port, orphans);
  const text = explanation ?? {
    summary: `cannot listen on ${host} port ${port}: ${messageOf(error)}`,
    hint: "",
  };
  if (owner === undefined || orphans.length > 0)
    return new FrameworkError(listenCode, text.summary + text.hint);
  return new FrameworkError(
    listenCode,
    `${owner.feature}: ${text.summary}; give the listener ${owner.options.name} another address`,
  );
};

/** The problem, and the flag that solves it for the service itself. */
interface Explanation {
  readonly summary: string;
  readonly hint: string;
}

const explain = (
  code: string,
  host: string,
  port: number,
  orphans: readonly number[],
): [code: string, explanation?: Explanation] => {
  switch (code) {
    case "EADDRINUSE":
      if (orphans.length > 0) return ["CORE_PORT_IN_USE", heldByOrphans(host, port, orphans)];
      return [
        "CORE_PORT_IN_USE",
        { summary: `port ${port} is in use on ${host}`, hint: `; try --port ${nextPort(port)}` },
      ];
    case "EACCES":
      return [
        "CORE_PORT_REFUSED",
        { summary: `the system does not let this user listen on port ${port}`, hint: "; try --port 8000" },
      ];
    case "EADDRNOTAVAIL":
      return [
        "CORE_BAD_HOST",
        { summary: `${host} is not an address of this machine`, hint: "; try --host 127.0.0.1 or 0.0.0.0" },
      ];
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EINVAL":
      return [
        "CORE_BAD_HOST",
        { summary: `the host ${host} cannot be resolved`, hint: "; try --host 127.0.0.1" },
      ];
    default:
      return ["CORE_LISTEN_FAILED"];
  }
};

const heldByOrphans = (host: string, port: number, orphans: readonly number[]): Explanation => ({
  summary: `port ${port} is in use on ${host} by workers whose primary process has ended`,
  hint: `; they have not ended in time: kill -9 ${orphans.join(" ")}`,
});

const nextPort = (port: number): number => (port < 65_535 ? port + 1 : port - 1);

const withStack = (problem: Problem, error: unknown): StartFailure => {
  const stack = causeChain(error, problem.message);
  return stack === null ? { problems: [problem] } : { problems: [problem], stack };
};

const indent = (stack: string): string => stack.replaceAll(/^/gm, "    ");
