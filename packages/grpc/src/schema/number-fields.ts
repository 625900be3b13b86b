import { type FieldLayout, type MessageLayout, type MessageLayouts, protoType } from "./message-layout.ts";
import type { RecordedMessage, RecordedNumbers } from "./recorded-numbers.ts";

/** A field with its number. */
export interface NumberedField extends FieldLayout {
  readonly number: number;
}

/** A message whose fields have numbers. */
export interface NumberedMessage {
  readonly name: string;
  readonly fields: readonly NumberedField[];
  /** Numbers of removed fields, and former numbers of fields whose type changed, sorted. */
  readonly reserved: readonly number[];
  /** Names of removed fields, sorted. */
  readonly reservedNames: readonly string[];
}

/** Field numbers that Protocol Buffers reserves for implementations. */
const implementationNumbers = { from: 19_000, to: 19_999 };

/**
 * Gives each field its number. A field that was recorded with the same type keeps its number, regardless of the order in the schema; any other field gets
 * a number above all that were ever used. Numbers of removed fields, and old numbers of fields whose type changed, stay
 * reserved, so a number never gets a second meaning.
 */
export const numberFields = (
  messages: MessageLayouts,
  recorded: RecordedNumbers | null,
): readonly NumberedMessage[] => {
  const present = [...messages.values()].map((message) =>
    numberMessage(message, recorded?.get(message.name)),
  );
  const removed = [...(recorded ?? [])].filter(([name]) => !messages.has(name));
  return [...present, ...removed.map(([name, record]) => numberMessage({ name, fields: [] }, record))];
};

const numberMessage = (message: MessageLayout, record: RecordedMessage | undefined): NumberedMessage => {
  const before = record ?? { fields: [], reserved: [], reservedNames: [] };
  const reserved = before.reserved.flatMap(([from, to]) =>
    Array.from({ length: to - from + 1 }, (_, at) => from + at),
  );
  let last = Math.max(0, ...before.fields.map(({ number }) => number), ...reserved);
  const nextNumber = (): number => {
    last =
      last + 1 >= implementationNumbers.from && last + 1 <= implementationNumbers.to
        ? implementationNumbers.to + 1
        : last + 1;
    return last;
  };
  const fields = message.fields.map((field): NumberedField => {
    const same = before.fields.find(
      ({ name, type }) => name === field.protoName && type === protoType(field),
    );
    return { ...field, number: same?.number ?? nextNumber() };
  });
  const used = new Set(fields.map(({ number }) => number));
  const names = new Set(fields.map(({ protoName }) => protoName));
  const removed = before.fields.filter(({ number }) => !used.has(number));
  return {
    name: message.name,
    fields: fields.toSorted((a, b) => a.number - b.number),
    reserved: [...new Set([...reserved, ...removed.map(({ number }) => number)])].sort((a, b) => a - b),
    reservedNames: [...new Set([...before.reservedNames, ...removed.map(({ name }) => name)])]
      .filter((name) => !names.has(name))
      .sort(),
  };
};
