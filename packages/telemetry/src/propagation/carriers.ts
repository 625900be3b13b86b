import type { TextMapGetter, TextMapSetter } from "@opentelemetry/api";

/** Header fields by name, such as of a request or a message. */
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
