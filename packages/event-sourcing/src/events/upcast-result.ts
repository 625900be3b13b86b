/** One of several events that replace a stored one. */
export interface EventPart {
  /** Name of its type. */
  readonly type: string;
  /** Version of the type that the data has. @default the current one */
  readonly version?: number;
  /** The raw JSON of the data. */
  readonly data: unknown;
}

/** Events that replace a stored one when it is read. Made by `split`. */
export class SplitEvent {
  /** The events that it becomes, in their order; none drops it. */
  readonly parts: readonly EventPart[];

  constructor(parts: readonly EventPart[]) {
    this.parts = parts;
  }
}

/**
 * For upcasters: replaces the stored event with others, of any type, 100 at most; with none, readers do not see it.
 *
 * @example
 * upcast: { 1: ({ name, ...rest }) => split({ type: "PersonNamed", data: { name } }, { type: "PersonMoved", data: rest }) }
 */
export const split = (...parts: readonly EventPart[]): SplitEvent => new SplitEvent(parts);

/** For upcasters: readers do not see the event any more. */
export const dropped: SplitEvent = new SplitEvent([]);

/** Turns the data of one version of a type into that of the next. Gets JSON as it was stored, and must not change it. */
export type Upcaster = (data: never) => unknown;

/** Upcasters by the version that they start from. */
export type Upcasters = Readonly<Record<number, Upcaster>>;
