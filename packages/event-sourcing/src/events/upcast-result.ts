/** One of several events that replace a stored one. */
export interface EventPart {
  /** Name of its type. */
  readonly type: string;
  /** Version of the data. @default the current version of the type */
  readonly version?: number;
  /** The raw JSON of the data. */
  readonly data: unknown;
}

/** Events that replace a stored one when it is read. Created by `split`. */
export class SplitEvent {
  /** The replacing events, in order; if empty, the stored event is dropped. */
  readonly parts: readonly EventPart[];

  constructor(parts: readonly EventPart[]) {
    this.parts = parts;
  }
}

/**
 * For upcasters: replaces the stored event with up to 100 events of any type; with none, readers do not see it.
 *
 * @example
 * upcast: { 1: ({ name, ...rest }) => split({ type: "PersonNamed", data: { name } }, { type: "PersonMoved", data: rest }) }
 */
export const split = (...parts: readonly EventPart[]): SplitEvent => new SplitEvent(parts);

/** For upcasters: hides the event from readers. */
export const dropped: SplitEvent = new SplitEvent([]);

/** Converts the data of one version to the next. Gets the stored JSON, or the result of the previous upcaster; must not mutate it. */
export type Upcaster = (data: never) => unknown;

/** Upcasters by source version. */
export type Upcasters = Readonly<Record<number, Upcaster>>;
