import type protobuf from "protobufjs";
import type {
  EnumDescriptor,
  FieldDescriptor,
  FileDescriptor,
  MessageDescriptor,
  ServiceDescriptor,
} from "./descriptor-messages.ts";
import { fileNameOf } from "./file-names.ts";
import { protobufjs } from "../libraries.ts";

/** Numbers of the types in FieldDescriptorProto. */
const fieldTypes: Readonly<Record<string, number>> = {
  double: 1,
  float: 2,
  int64: 3,
  uint64: 4,
  int32: 5,
  fixed64: 6,
  fixed32: 7,
  bool: 8,
  string: 9,
  bytes: 12,
  uint32: 13,
  sfixed32: 15,
  sfixed64: 16,
  sint32: 17,
  sint64: 18,
};
const MESSAGE = 11;
const ENUM = 14;
const labels = { optional: 1, required: 2, repeated: 3 };

/** Describes each package of a resolved root as one file, and google.protobuf as its published files. The root must be parsed with `keepCase`, to have the names of the `.proto`. */
export const describePackages = (root: protobuf.Root): readonly FileDescriptor[] => {
  const files: FileDescriptor[] = [];
  const visit = (space: protobuf.NamespaceBase): void => {
    files.push(...describePackage(space));
    for (const nested of space.nestedArray) if (isPackage(nested)) visit(nested);
  };
  visit(root);
  return files;
};

const isPackage = (object: protobuf.ReflectionObject): object is protobuf.Namespace =>
  object instanceof protobufjs().Namespace &&
  !(object instanceof protobufjs().Type) &&
  !(object instanceof protobufjs().Service);

const describePackage = (space: protobuf.NamespaceBase): FileDescriptor[] => {
  const packageName = space.fullName.slice(1);
  const objects = space.nestedArray.filter((nested) => !isPackage(nested));
  const byFile = Map.groupBy(objects, ({ name }) => fileNameOf(packageName, name));
  return [...byFile].map(([file, members]) => describeFile(file, packageName, members));
};

const describeFile = (
  name: string,
  packageName: string,
  objects: readonly protobuf.ReflectionObject[],
): FileDescriptor => {
  const used = new Set<string>();
  const messageType: MessageDescriptor[] = [];
  const enumType: EnumDescriptor[] = [];
  const service: ServiceDescriptor[] = [];
  for (const object of objects) {
    if (object instanceof protobufjs().Type) messageType.push(describeMessage(object, used));
    else if (object instanceof protobufjs().Enum) enumType.push(describeEnum(object));
    else if (object instanceof protobufjs().Service) service.push(describeService(object, used));
  }
  used.delete(name);
  return {
    name,
    package: packageName,
    dependency: [...used].sort(),
    messageType,
    enumType,
    service,
    syntax: "proto3",
  };
};

const describeMessage = (type: protobuf.Type, used: Set<string>): MessageDescriptor => {
  // Protocol Buffers requires the synthetic oneofs of `optional` fields to follow all others.
  const oneofs = type.oneofsArray.toSorted((a, b) => Number(isSynthetic(a)) - Number(isSynthetic(b)));
  const entries = type.fieldsArray.filter((field) => field instanceof protobufjs().MapField);
  const reserved = type.reserved ?? [];
  return {
    name: type.name,
    field: type.fieldsArray.map((field) => describeField(field, oneofs, used)),
    nestedType: [
      ...type.nestedArray
        .filter((nested) => nested instanceof protobufjs().Type)
        .map((nested) => describeMessage(nested, used)),
      ...entries.map((field) => describeEntry(field, used)),
    ],
    enumType: type.nestedArray.filter((nested) => nested instanceof protobufjs().Enum).map(describeEnum),
    oneofDecl: oneofs.map(({ name }) => ({ name })),
    reservedRange: reserved.flatMap((entry) =>
      typeof entry === "string" ? [] : [{ start: entry[0] ?? 0, end: (entry[1] ?? 0) + 1 }],
    ), // the end of a range is exclusive
    reservedName: reserved.filter((entry) => typeof entry === "string"),
  };
};

const isSynthetic = ({ fieldsArray: [field] }: protobuf.OneOf): boolean =>
  field?.options?.["proto3_optional"] === true;

const describeField = (
  field: protobuf.Field,
  oneofs: readonly protobuf.OneOf[],
  used: Set<string>,
): FieldDescriptor => {
  const { name, id: number, partOf } = field;
  const jsonName = jsonNameOf(field);
  if (field instanceof protobufjs().MapField) {
    const typeName = `${field.parent?.fullName ?? ""}.${entryName(name)}`;
    return { name, number, label: labels.repeated, type: MESSAGE, typeName, jsonName };
  }
  const label = field.repeated ? labels.repeated : field.required ? labels.required : labels.optional;
  return {
    name,
    number,
    label,
    jsonName,
    ...typeOf(field, used),
    ...(partOf !== null && { oneofIndex: oneofs.indexOf(partOf) }),
    ...(field.options?.["proto3_optional"] === true && { proto3Optional: true }),
  };
};

const typeOf = (field: protobuf.FieldBase, used: Set<string>): Pick<FieldDescriptor, "type" | "typeName"> => {
  const { resolvedType } = field.resolve();
  if (resolvedType === null) return { type: fieldTypes[field.type] ?? 0 };
  used.add(fileOf(resolvedType));
  return {
    type: resolvedType instanceof protobufjs().Enum ? ENUM : MESSAGE,
    typeName: resolvedType.fullName,
  };
};

/** Describes the message of a map's entries, as Protocol Buffers defines it. */
const describeEntry = (field: protobuf.MapField, used: Set<string>): MessageDescriptor => {
  const key = {
    name: "key",
    number: 1,
    label: labels.optional,
    type: fieldTypes[field.keyType] ?? 0,
    jsonName: "key",
  };
  const value = {
    name: "value",
    number: 2,
    label: labels.optional,
    jsonName: "value",
    ...typeOf(field, used),
  };
  return {
    name: entryName(field.name),
    field: [key, value],
    nestedType: [],
    enumType: [],
    oneofDecl: [],
    options: { mapEntry: true },
    reservedRange: [],
    reservedName: [],
  };
};

const describeEnum = ({ name, values, options }: protobuf.Enum): EnumDescriptor => ({
  name,
  value: Object.entries(values).map(([value, number]) => ({ name: value, number })),
  ...(options?.["allow_alias"] === true && { options: { allowAlias: true } }),
});

const describeService = (service: protobuf.Service, used: Set<string>): ServiceDescriptor => ({
  name: service.name,
  method: service.methodsArray.map((method) => {
    const { resolvedRequestType: input, resolvedResponseType: output } = method.resolve() as protobuf.Method;
    for (const type of [input, output]) if (type !== null) used.add(fileOf(type));
    return {
      name: method.name,
      inputType: input?.fullName ?? "",
      outputType: output?.fullName ?? "",
      clientStreaming: method.requestStream === true,
      serverStreaming: method.responseStream === true,
    };
  }),
});

/** Returns the file that defines a type, which may be nested in another. */
const fileOf = (type: protobuf.ReflectionObject): string => {
  let top = type;
  while (top.parent !== null && !isPackage(top.parent)) top = top.parent;
  return fileNameOf(top.parent?.fullName.slice(1) ?? "", top.name);
};

const jsonNameOf = ({ name, options }: protobuf.Field): string => {
  const own: unknown = options?.["json_name"];
  return typeof own === "string" ? own : camelCase(name);
};

/** Converts a name to camelCase like protoc, which removes every underscore. */
const camelCase = (name: string): string =>
  name.replaceAll(/_+([^_]?)/g, (_, letter: string) => letter.toUpperCase());

const entryName = (name: string): string => {
  const camel = camelCase(name);
  return `${camel.charAt(0).toUpperCase()}${camel.slice(1)}Entry`;
};
