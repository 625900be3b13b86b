import type { Awaitable } from "../middleware/middleware.ts";

/** One value of a table. */
export type PanelCell = string | number | boolean | null;

/** A row of a table. */
export interface PanelRow {
  /** Identifies the row in actions and details. Unique in its table, at most 400 characters. */
  readonly id: string;
  /** One value per column. Never a secret: no credentials, cookies, tokens or bodies. */
  readonly cells: readonly PanelCell[];
  /** Names of the actions that the row allows now. @default every action of rows */
  readonly actions?: readonly string[];
}

/** A table. */
export interface PanelTable {
  /** Names of the columns. The first column identifies a row to a reader. */
  readonly columns: readonly string[];
  /** The rows, in the order in which they are shown. */
  readonly rows: readonly PanelRow[];
}

/** The current content of a panel. */
export interface PanelContent extends PanelTable {
  /** A sentence above the table, such as the number of omitted rows. @default none */
  readonly note?: string;
}

/** A text input of an action. */
export interface PanelField {
  /** Unique in the action; its text is passed under this name. */
  readonly name: string;
  /** Label of the field. */
  readonly label: string;
  /** Initial text. @default "" */
  readonly value?: string;
  /** The values to choose from. @default any text */
  readonly options?: readonly string[];
}

/** An action that a developer can run, such as opening a circuit. */
export interface PanelAction {
  /** Unique in the panel. */
  readonly name: string;
  /** Text of the button: a verb. */
  readonly label: string;
  /** Whether it concerns one row or the whole panel. */
  readonly on: "row" | "panel";
  /** Text inputs, each of at most 10,000 characters. @default none */
  readonly fields?: readonly PanelField[];
  /**
   * Runs the action. May return a sentence, which is shown to the developer, as is the message of an error.
   *
   * @param row id of the row; `null` for an action of the panel
   * @param texts one text for each field
   */
  run(row: string | null, texts: Readonly<Record<string, string>>): Awaitable<string | void>;
}

/**
 * A feature's part of the dev page: a table that is read on demand, and actions. Tools show panels without knowing the features.
 *
 * Nothing is read before a developer opens it. Texts are shown as plain text.
 */
export interface Panel {
  /** Lower-case words with dashes, unique in the app: `circuits`. */
  readonly name: string;
  /** Heading, such as `Circuits`. */
  readonly title: string;
  /** `worker` when each worker has its own rows, `service` when all workers have the same. @default "service" */
  readonly scope?: "worker" | "service";
  /** Returns the current table. Must be cheap: it is called every second while the panel is open. */
  read(): Awaitable<PanelContent>;
  /** Returns more about a row, such as a timeline; called while the row is open. @default no details */
  details?(row: string): Awaitable<readonly (PanelTable & { readonly title: string })[]>;
  /** Actions of the panel. @default none */
  readonly actions?: readonly PanelAction[];
}
