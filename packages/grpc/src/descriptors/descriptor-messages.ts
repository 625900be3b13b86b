import type protobuf from "protobufjs";
import { protobufjs } from "../libraries.ts";

const single = (type: string, id: number): protobuf.IField => ({ type, id });
const many = (type: string, id: number): protobuf.IField => ({ rule: "repeated", type, id });

/**
 * The messages of google/protobuf/descriptor.proto that reflection sends, with their published numbers. The extension of protobufjs for descriptors is not
 * used: it writes relative type names, unnamed map entries and no presence, which other implementations reject.
 */
const messages: protobuf.INamespace = {
  nested: {
    FileDescriptorProto: {
      fields: {
        name: single("string", 1),
        package: single("string", 2),
        dependency: many("string", 3),
        messageType: many("DescriptorProto", 4),
        enumType: many("EnumDescriptorProto", 5),
        service: many("ServiceDescriptorProto", 6),
        syntax: single("string", 12),
      },
    },
    DescriptorProto: {
      fields: {
        name: single("string", 1),
        field: many("FieldDescriptorProto", 2),
        nestedType: many("DescriptorProto", 3),
        enumType: many("EnumDescriptorProto", 4),
        options: single("MessageOptions", 7),
        oneofDecl: many("OneofDescriptorProto", 8),
        reservedRange: many("ReservedRange", 9),
        reservedName: many("string", 10),
      },
    },
    ReservedRange: { fields: { start: single("int32", 1), end: single("int32", 2) } },
    MessageOptions: { fields: { mapEntry: single("bool", 7) } },
    OneofDescriptorProto: { fields: { name: single("string", 1) } },
    FieldDescriptorProto: {
      fields: {
        name: single("string", 1),
        number: single("int32", 3),
        label: single("int32", 4),
        type: single("int32", 5),
        typeName: single("string", 6),
        oneofIndex: single("int32", 9),
        jsonName: single("string", 10),
        proto3Optional: single("bool", 17),
      },
    },
    EnumDescriptorProto: {
      fields: {
        name: single("string", 1),
        value: many("EnumValueDescriptorProto", 2),
        options: single("EnumOptions", 3),
      },
    },
    EnumOptions: { fields: { allowAlias: single("bool", 2) } },
    EnumValueDescriptorProto: { fields: { name: single("string", 1), number: single("int32", 2) } },
    ServiceDescriptorProto: {
      fields: { name: single("string", 1), method: many("MethodDescriptorProto", 2) },
    },
    MethodDescriptorProto: {
      fields: {
        name: single("string", 1),
        inputType: single("string", 2),
        outputType: single("string", 3),
        clientStreaming: single("bool", 5),
        serverStreaming: single("bool", 6),
      },
    },
  },
};

export interface FieldDescriptor {
  readonly name: string;
  readonly number: number;
  readonly label: number;
  readonly type: number;
  readonly typeName?: string;
  readonly oneofIndex?: number;
  readonly jsonName: string;
  readonly proto3Optional?: boolean;
}

export interface EnumDescriptor {
  readonly name: string;
  readonly value: readonly { readonly name: string; readonly number: number }[];
  readonly options?: { readonly allowAlias: boolean };
}

export interface MessageDescriptor {
  readonly name: string;
  readonly field: readonly FieldDescriptor[];
  readonly nestedType: readonly MessageDescriptor[];
  readonly enumType: readonly EnumDescriptor[];
  readonly oneofDecl: readonly { readonly name: string }[];
  readonly options?: { readonly mapEntry: boolean };
  readonly reservedRange: readonly { readonly start: number; readonly end: number }[];
  readonly reservedName: readonly string[];
}

export interface ServiceDescriptor {
  readonly name: string;
  readonly method: readonly {
    readonly name: string;
    readonly inputType: string;
    readonly outputType: string;
    readonly clientStreaming: boolean;
    readonly serverStreaming: boolean;
  }[];
}

/** The descriptors of one file. */
export interface FileDescriptor {
  readonly name: string;
  readonly package: string;
  readonly dependency: readonly string[];
  readonly messageType: readonly MessageDescriptor[];
  readonly enumType: readonly EnumDescriptor[];
  readonly service: readonly ServiceDescriptor[];
  readonly syntax: string;
}

let fileType: protobuf.Type | undefined;
const fileDescriptorProto = (): protobuf.Type =>
  (fileType ??= protobufjs().Root.fromJSON(messages).lookupType("FileDescriptorProto"));

/** Serializes a file as `FileDescriptorProto`. */
export const encodeFile = (descriptor: FileDescriptor): Uint8Array =>
  fileDescriptorProto().encode(fileDescriptorProto().fromObject(descriptor)).finish();

/** Reads a `FileDescriptorProto`, for tests and tools. */
export const decodeFile = (bytes: Uint8Array): FileDescriptor =>
  fileDescriptorProto().toObject(fileDescriptorProto().decode(bytes), { arrays: true }) as FileDescriptor;
