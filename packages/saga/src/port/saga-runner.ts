import type { Transaction } from "@framework/database";
import type { AnySaga, SagaDefinition } from "../definition/definition.ts";
import type { DeliveryResult, SagaMessage } from "../messages/deliver.ts";
import type { SagaFilter, SagaInfo, SagaPage, TimelineEntry } from "../operate/saga-info.ts";
import type { Decision } from "../operate/verbs.ts";
import type { StartResult, StartOptions } from "../start/start.ts";

/** Runs sagas: the local runner of this package, or an adapter to a workflow engine. Every runner must pass the contract suite in `./testing`. */
export interface SagaRunner {
  /**
   * Starts an instance, or returns the existing one with the key.
   *
   * @throws SAGA_BAD_VALUE for an invalid key, and for an input that does not match its schema, is not JSON data or is larger than 1 MiB; SAGA_UNKNOWN for a
   * saga that this process does not define
   */
  start<Input>(
    definition: SagaDefinition<Input>,
    input: NoInfer<Input>,
    options: StartOptions,
  ): Promise<StartResult>;
  /**
   * Delivers a message to the instance with a key, for its `waitFor` step of the same name, which the instance may reach later. The data is validated by the
   * schema of the instance's version, whichever version of the saga is passed.
   *
   * @throws SAGA_BAD_VALUE for an invalid key or id, and for data that does not match its schema, is not JSON data or is larger than 1 MiB; SAGA_UNKNOWN;
   * SAGA_NO_WAIT; HttpError 409 if the instance has 1,000 messages
   */
  deliver(
    definition: AnySaga,
    message: SagaMessage,
    options?: { readonly tx?: Transaction | undefined },
  ): Promise<DeliveryResult>;
  /** Returns an instance with its steps; `null` for an unknown id. */
  get(id: string): Promise<SagaInfo | null>;
  /** Lists instances, oldest first. @throws HttpError 409 for an invalid filter */
  list(filter?: SagaFilter): Promise<SagaPage>;
  /** Returns the changes of an instance, in order; none for an unknown id. */
  timeline(id: string): Promise<readonly TimelineEntry[]>;
  /** Undoes an instance that has not passed its pivot. Returns `false` for an unknown id. @throws HttpError 409 if its state does not allow it */
  cancel(id: string, decision: Decision): Promise<boolean>;
  /** Restarts the attempts at the step or undo at which an instance is paused or stuck. @throws HttpError 409 */
  retry(id: string, decision: Decision): Promise<boolean>;
  /** Skips the step or undo at which an instance is paused or stuck. @throws HttpError 409 */
  skip(id: string, decision: Decision): Promise<boolean>;
  /** Records that the step or undo at which an instance is paused or stuck was done by other means. @throws HttpError 409 */
  settle(id: string, decision: Decision): Promise<boolean>;
}
