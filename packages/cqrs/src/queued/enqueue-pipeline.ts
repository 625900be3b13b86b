import { type Handler, HttpError } from "@framework/core";
import { compose } from "@framework/core/feature";
import { claimKey } from "../commands/claim-key.ts";
import type { CommandPipelineParts } from "../commands/command-pipeline.ts";
import type { CommandAttempt, CommandRun } from "../commands/command-run.ts";
import { inTransaction } from "../commands/in-transaction.ts";
import { limitTime } from "../commands/limit-time.ts";
import { requireKey } from "../commands/require-key.ts";
import { retryConflicts } from "../commands/retry-conflicts.ts";
import { storedJson } from "../definitions/stored-json.ts";
import type { RawInput } from "../definitions/valid-input.ts";
import { MAX_QUEUED_INPUT_BYTES } from "../limits.ts";
import { checkGuards } from "../pipeline/check-guards.ts";
import { record, trace } from "../pipeline/observe.ts";
import { noTypes, type Outcome } from "../pipeline/outcome.ts";
import { rescue } from "../pipeline/rescue.ts";
import { validateInput } from "../pipeline/validate-input.ts";
import type { CommandQueue } from "./command-queue.ts";

/**
 * Creates the pipeline that adds a command to the queue: the guards, input validation, time limit and conflict retries of a command. The idempotency key is
 * stored in the transaction that adds the command, so a repeated call gets the same id.
 */
export const enqueuePipeline = (
  parts: CommandPipelineParts,
  queue: () => CommandQueue,
): Handler<CommandRun, Outcome> => {
  const { kernel, insight, log, clock, random, maxRetries } = parts;
  const onRetry = (): void => void insight.counts.retries++;
  const add: Handler<CommandAttempt, Outcome> = async ({ run, tx }) => {
    const value = await queue().enqueue(run, tx);
    return { ok: true, value, json: JSON.stringify(value), position: null, types: noTypes, isReplay: false };
  };
  const perform = compose<CommandAttempt, Outcome>([claimKey(parts.results)], add, rescue);
  return compose<CommandRun, Outcome>(
    [
      trace(insight),
      record(insight),
      checkGuards(log),
      validateInput(storedInput),
      requireKey(new Set(), parts.callerOf, "queued "),
      limitTime,
      retryConflicts({ maxRetries, clock, random, onRetry }),
    ],
    inTransaction(kernel, perform, parts.onCommit),
    rescue,
  );
};

/**
 * Returns the input as the execution will read it: an input whose stored form does not match the schema could never be executed.
 *
 * @throws CQRS_BAD_INPUT; HttpError 413
 */
const storedInput = ({ operation, call }: CommandRun): RawInput => {
  if (call.raw === undefined) return call;
  const text = storedJson(`the input of command ${operation.name}`, call.raw, "CQRS_BAD_INPUT");
  if (Buffer.byteLength(text) > MAX_QUEUED_INPUT_BYTES) throw inputTooLarge();
  return { ...call, raw: JSON.parse(text) };
};

const inputTooLarge = (): HttpError =>
  new HttpError(
    413,
    `The input of a queued command may have at most ${MAX_QUEUED_INPUT_BYTES} bytes as JSON`,
  );
