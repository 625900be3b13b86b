import { FrameworkError } from "@framework/core";
import { type Redaction, redactionFor, type StepReport, stepReports } from "@framework/core/feature";
import type { AppLike } from "../app/app-like.ts";
import { loadApp } from "../app/load-app.ts";
import { startQuietly } from "../app/start-quietly.ts";
import type { Context, Outcome, RunCommand } from "../frame/command.ts";
import type { CommandInput } from "../frame/given.ts";
import { table } from "../frame/table.ts";
import { type Span, type Style, styled } from "../frame/text.ts";
import { fetchReply, readBody, startDeadline } from "../request/fetch-reply.ts";
import { requestOf } from "../request/request-of.ts";
import { collectTraces } from "./collect-traces.ts";

/** Sends a request to the app in this process, and lists its steps with their outcomes. */
export const explainRequest: RunCommand = async (given, context) => {
  const { cwd, environment } = context;
  if (environment["FRAMEWORK_ENV"] === "production")
    throw new FrameworkError(
      "CLI_IN_PRODUCTION",
      "explain sends a request in debug mode; FRAMEWORK_ENV must not be production",
    );
  using traces = collectTraces();
  const app = await loadApp(given.text("app"), cwd);
  const redact = await redactionOf(given, context);
  await startQuietly(app, redact);
  try {
    const reply = await lastReply(app, given, context);
    const { last } = traces;
    if (last === null) return refusal(reply.status, redact(await reasonOf(reply)));
    void reply.body?.cancel().catch(() => {}); // not awaited: it may wait for the app's next chunk
    const steps = stepReports(last).map((step) => ({ ...step, reasons: step.reasons.map(redact) }));
    return outcome(reply.status, routeOf(last.request), steps);
  } finally {
    await app.stop({ timeoutSecs: 1 });
  }
};

const redactionOf = async (given: CommandInput, context: Context): Promise<Redaction> => {
  const request = await requestOf(given, "POST", context); // a GET request cannot have a body
  const body = given.text("data") === undefined ? null : await request.text();
  return redactionFor({ fields: request.headers, query: new URL(request.url).searchParams.values(), body });
};

/** Sends the request one or more times and returns the last reply: a repeated request may hit a cache. */
const lastReply = async (
  app: AppLike,
  given: CommandInput,
  { cwd, input, clock }: Pick<Context, "cwd" | "input" | "clock">,
): Promise<Response> => {
  const method = given.argument("subject")?.toUpperCase() ?? "GET";
  const timeoutSecs = given.number("timeout") ?? 30;
  for (let remaining = given.number("times") ?? 1; ; remaining--) {
    const request = await requestOf(given, method, { cwd, input });
    using deadline = startDeadline(timeoutSecs, clock);
    const reply = await fetchReply(app, request, deadline);
    if (remaining <= 1) return reply;
    await readBody(reply, deadline, () => true);
  }
};

const routeOf = (request: object): string | null => {
  const route: unknown = Reflect.get(request, "route");
  return typeof route === "string" ? route : null;
};

/** Core refuses a malformed request before its first step; only the reply has the reason. */
const refusal = (status: number, reason: string): Outcome => ({
  ok: true,
  data: { status, route: null, totalMs: 0, steps: [], refused: reason },
  lines: [[statusSpan(status), "  refused before the first step"], "", reason],
});

/** Returns the `detail` of an error reply, else its text. */
const reasonOf = async (reply: Response): Promise<string> => {
  const text = await reply.text();
  try {
    const { detail } = JSON.parse(text) as { readonly detail?: unknown };
    return typeof detail === "string" ? detail : text;
  } catch {
    return text; // not JSON
  }
};

const statusSpan = (status: number): Span => styled(status < 400 ? "green" : "red", String(status));

const outcome = (status: number, route: string | null, steps: readonly StepReport[]): Outcome => {
  const totalMs = steps.reduce((sum, { ownMs }) => sum + (ownMs ?? 0), 0);
  return {
    ok: true,
    data: { status, route, totalMs, steps },
    lines: [
      [
        statusSpan(status),
        route === null ? "  no route matches" : `  route ${route}`,
        styled("dim", `  ${totalMs.toFixed(2)} ms`),
      ],
      "",
      ...table(
        ["STEP", "", "MS", "WHY"],
        steps.flatMap((step) => rows(step, labelOf(step, steps))),
      ),
    ],
  };
};

/** Returns the name of a step, with its stage if the feature has middleware at several stages. */
const labelOf = ({ kind, name, stage }: StepReport, steps: readonly StepReport[]): string => {
  if (kind !== "middleware") return kind === name ? name : `${kind} ${name}`;
  const isAmbiguous = steps.some((other) => other.name === name && other.stage !== stage);
  return isAmbiguous && stage !== null ? `${name} (${stage})` : name;
};

const rows = (
  { outcome: result, ownMs, reasons }: StepReport,
  label: string,
): readonly (readonly Span[])[] => {
  const [first = "", ...others] = reasons;
  return [
    [label, styled(styles[result], result), ownMs === null ? "" : ownMs.toFixed(2), first],
    ...others.map((reason) => ["", "", "", reason]),
  ];
};

const styles: Readonly<Record<StepReport["outcome"], Style>> = {
  ran: "green",
  answered: "cyan",
  failed: "red",
  skipped: "dim",
  "not reached": "dim",
};
