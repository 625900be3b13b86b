import type protobuf from "protobufjs";
import { protobufjs } from "../libraries.ts";

/** Parses a `.proto` that imports nothing but `google/protobuf/struct.proto`. Field names are unchanged. @throws an error for text that is not a `.proto` */
export const parseProto = (text: string): protobuf.Root => {
  const { root } = protobufjs().parse(text, { keepCase: true });
  const struct = protobufjs().common.get("google/protobuf/struct.proto")?.nested;
  if (text.includes("google.protobuf.") && struct !== undefined) root.addJSON(struct);
  return root.resolveAll() as protobuf.Root;
};
