import { FrameworkError, type Handler, type HttpRequest, type Response } from "@framework/core";
import type { Transaction } from "@framework/database";
import type { Kernel } from "@framework/durable/feature";
import { outcomeUnknown, tooBusy } from "../failures/command-errors.ts";
import { REPLAYED_FIELD } from "../http/reply-fields.ts";
import { keyRunning } from "../idempotency/key-errors.ts";
import type { KeyClaim, StoredResults } from "../idempotency/stored-results.ts";
import { MAX_ROUTE_KEYS } from "../limits.ts";
import { isResult, replayedReply, toStoredResult } from "./stored-reply.ts";
import { OpenTransaction } from "./request-transaction.ts";

/** Dependencies of `RequestTransactions`. */
export interface RequestTransactionsParts {
  readonly kernel: Kernel;
  readonly results: StoredResults;
  readonly maxBytes: number;
}

type Next = Handler<HttpRequest, Response>;

/** Runs handlers in transactions. The changes of a handler and, with an idempotency key, its stored reply are committed atomically. */
export class RequestTransactions {
  private readonly parts: RequestTransactionsParts;
  /** Ids of the keys in use in this process. */
  private readonly running = new Set<string>();

  constructor(parts: RequestTransactionsParts) {
    this.parts = parts;
  }

  /** Handles a request without a key. @throws HttpError 503 (CQRS_OUTCOME_UNKNOWN) */
  async handle(request: HttpRequest, next: Next): Promise<Response> {
    const { db } = this.parts.kernel;
    return await explainUnknownOutcome(() =>
      rollBackOnError(request, next, (run) => db.transaction(run, { retries: 0 })),
    );
  }

  /**
   * Handles a request with a key. If its reply is stored, returns that without running the handler.
   *
   * @throws HttpError 409 (CQRS_KEY_RUNNING, CQRS_RESULT_NOT_KEPT), 422 (CQRS_KEY_REUSED), 503 (CQRS_BUSY, CQRS_OUTCOME_UNKNOWN)
   */
  async handleOnce(request: HttpRequest, next: Next, claim: KeyClaim): Promise<Response> {
    const { running } = this;
    if (running.has(claim.id)) throw keyRunning();
    if (running.size >= MAX_ROUTE_KEYS) throw tooBusy(`${running.size} handlers hold idempotency keys`);
    running.add(claim.id);
    try {
      const { db } = this.parts.kernel;
      const inTransaction = (tx: Transaction): Promise<Response> =>
        this.handleInTransaction(tx, request, next, claim);
      return await explainUnknownOutcome(() => db.transaction(inTransaction, { retries: 0 }));
    } finally {
      running.delete(claim.id);
    }
  }

  private async handleInTransaction(
    tx: Transaction,
    request: HttpRequest,
    next: Next,
    claim: KeyClaim,
  ): Promise<Response> {
    const { results, maxBytes } = this.parts;
    const stored = await results.claim(tx, claim);
    if (stored !== null) return replayedReply(stored).setHeader(REPLAYED_FIELD, "true");
    const reply = await rollBackOnError(request, next, (run) => tx.transaction(run));
    if (isResult(reply)) await results.save(tx, claim, await toStoredResult(reply, maxBytes));
    return reply;
  }
}

/** Runs a handler in a transaction, which is rolled back if it throws, or the reply has a status of 400 or above. */
const rollBackOnError = async (
  request: HttpRequest,
  next: Next,
  begin: (run: (tx: Transaction) => Promise<Response>) => Promise<Response>,
): Promise<Response> => {
  const { context } = request;
  let failure: Response | null = null;
  try {
    return await begin(async (tx) => {
      context.set(OpenTransaction, tx);
      const reply = await next(request);
      if (reply.status < 400) return reply;
      failure = reply;
      throw new Error(`the reply is ${reply.status}`);
    });
  } catch (error) {
    if (failure !== null) return failure;
    throw error;
  } finally {
    context.delete(OpenTransaction);
  }
};

/** Runs a transaction and replaces the error of a commit with an unknown outcome with a 503. @throws errors of `run`; HttpError 503 (CQRS_OUTCOME_UNKNOWN) */
const explainUnknownOutcome = async (run: () => Promise<Response>): Promise<Response> => {
  try {
    return await run();
  } catch (error) {
    const isUnknown = FrameworkError.is(error) && error.code === "DATABASE_COMMIT_UNKNOWN";
    throw isUnknown ? outcomeUnknown(error) : error;
  }
};
