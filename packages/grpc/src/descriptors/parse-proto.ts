import protobuf from "protobufjs";

/** Parses a `.proto` that imports nothing but `google/protobuf/struct.proto`. Field names stay as written. @throws an error for text that is no `.proto` */
export const parseProto = (text: string): protobuf.Root => {
  const { root } = protobuf.parse(text, { keepCase: true });
  const struct = protobuf.common.get("google/protobuf/struct.proto")?.nested;
  if (text.includes("google.protobuf.") && struct !== undefined) root.addJSON(struct);
  return root.resolveAll() as protobuf.Root;
};
