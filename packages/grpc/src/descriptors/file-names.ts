/** The published files of google.protobuf by type: clients have these files already, and reject the same types from another file. */
const wellKnownFiles: Readonly<Record<string, string>> = {
  Any: "any",
  Duration: "duration",
  Empty: "empty",
  FieldMask: "field_mask",
  Struct: "struct",
  Value: "struct",
  ListValue: "struct",
  NullValue: "struct",
  Timestamp: "timestamp",
  DoubleValue: "wrappers",
  FloatValue: "wrappers",
  Int64Value: "wrappers",
  UInt64Value: "wrappers",
  Int32Value: "wrappers",
  UInt32Value: "wrappers",
  BoolValue: "wrappers",
  StringValue: "wrappers",
  BytesValue: "wrappers",
};

/** Returns the file name for a top-level type or service of a package: the published file for google.protobuf, otherwise one file per package. */
export const fileNameOf = (packageName: string, name: string): string => {
  const known = packageName === "google.protobuf" && Object.hasOwn(wellKnownFiles, name);
  if (known) return `google/protobuf/${wellKnownFiles[name] ?? ""}.proto`;
  return `${packageName === "" ? "root" : packageName.replaceAll(".", "/")}.proto`;
};
