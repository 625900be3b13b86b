import type { Transaction } from "@framework/database";
import type { AnySaga, SagaDefinition } from "../definition/definition.ts";
import type { Delivered, SagaMessage } from "../messages/deliver.ts";
import type { SagaFilter, SagaInfo, SagaPage, TimelineEntry } from "../operate/saga-info.ts";
import type { Decision } from "../operate/verbs.ts";
import type { Started, StartOptions } from "../start/start.ts";

/** What runs sagas: the local runner of this package, or an adapter to a workflow engine. Every runner passes the contract suite in `./testing`. */
export interface SagaRunner {
  /**
   * Starts an instance, or returns the one that has the key already.
   *
   * @throws SAGA_BAD_VALUE for an input that does not fit its schema or is no JSON data; SAGA_UNKNOWN for a saga that was not defined
   */
  start<Input>(
    definition: SagaDefinition<Input>,
    input: NoInfer<Input>,
    options: StartOptions,
  ): Promise<Started>;
  /**
   * Gives a message to the instance with a key: its `waitFor` of that name goes on, now or when it comes there. The data is checked by the schema that the
   * instance's version has for it, whichever version of the saga is given.
   *
   * @throws SAGA_BAD_VALUE for data that does not fit its schema or is no JSON data; HttpError 409 when the instance has 1,000 messages
   */
  deliver(
    definition: AnySaga,
    message: SagaMessage,
    options?: { readonly tx?: Transaction | undefined },
  ): Promise<Delivered>;
  /** Returns an instance with what its steps did; `null` for an unknown id. */
  get(id: string): Promise<SagaInfo | null>;
  /** Lists instances, oldest first. @throws HttpError 409 for a bad filter */
  list(filter?: SagaFilter): Promise<SagaPage>;
  /** Returns the changes of an instance, in order. */
  timeline(id: string): Promise<readonly TimelineEntry[]>;
  /** Undoes an instance that has not passed its pivot. Returns `false` for an unknown id. @throws HttpError 409 when it is too late */
  cancel(id: string, decision: Decision): Promise<boolean>;
  /** Begins the attempts at the step, or the undo, anew at which an instance is paused or stuck. @throws HttpError 409 */
  retry(id: string, decision: Decision): Promise<boolean>;
  /** Leaves out the step, or the undo, at which an instance is paused or stuck. @throws HttpError 409 */
  skip(id: string, decision: Decision): Promise<boolean>;
  /** Records that the step, or the undo, at which an instance is paused or stuck was done by other means. @throws HttpError 409 */
  settle(id: string, decision: Decision): Promise<boolean>;
}
