import type { TextMapGetter, TextMapSetter } from "@opentelemetry/api";

/** Anything that has header fields by name, such as a request, or the headers of a message. */
export interface FieldSource {
  get(name: string): string | null;
}

/** Reads the fields of a source. */
export const fieldGetter: TextMapGetter<FieldSource> = {
  keys: () => [],
  get: (source, name) => source.get(name) ?? undefined,
};

/** Writes fields into a record. */
export const recordSetter: TextMapSetter<Record<string, string>> = {
  set(record, name, value) {
    record[name] = value;
  },
};
