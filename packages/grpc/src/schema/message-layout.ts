/** Scalar types that schemas can have. */
export type ScalarType = "string" | "double" | "int64" | "bool";

/** Type of a field: a scalar, a message by its name, or any JSON (`google.protobuf.Value`). */
export type FieldType =
  | { readonly kind: "scalar"; readonly scalar: ScalarType }
  | { readonly kind: "message"; readonly message: string }
  | { readonly kind: "json" };

/** One field. */
export interface FieldLayout {
  /** Name in the schema, such as `publishedYear`. */
  readonly name: string;
  /** Name in the `.proto`, such as `published_year`. */
  readonly protoName: string;
  readonly type: FieldType;
  /** One value, a list, or a map with string keys. */
  readonly form: "single" | "repeated" | "map";
  /** Whether absence differs from the default: the field is not required, or may be null. */
  readonly optional: boolean;
  /** Whether an absent value is read as null: the schema requires the field and allows null. */
  readonly nullable: boolean;
}

/** One message. */
export interface MessageLayout {
  readonly name: string;
  readonly fields: readonly FieldLayout[];
}

/** The messages of a service by their names. */
export type MessageLayouts = ReadonlyMap<string, MessageLayout>;

/** Returns the type of a field as `.proto` writes it, without `optional`: `repeated string`, `map<string, Book>`. A field whose type changes gets another number. */
export const protoType = ({ type, form }: FieldLayout): string => {
  const single = singleType(type);
  if (form === "map") return `map<string, ${single}>`;
  return form === "repeated" ? `repeated ${single}` : single;
};

const singleType = (type: FieldType): string => {
  if (type.kind === "scalar") return type.scalar;
  return type.kind === "json" ? "google.protobuf.Value" : type.message;
};
