import {
  encodeFile,
  type FileDescriptor,
  type MessageDescriptor,
} from "../descriptors/descriptor-messages.ts";

/** Descriptors of all services, by file and by symbol. */
export class DescriptorIndex {
  private readonly files: Map<string, FileDescriptor> = new Map();
  private readonly fileOfSymbol: Map<string, string> = new Map();

  /** Adds the files of a service. Files of one package are merged. Returns the names of messages that another service describes differently. */
  add(files: readonly FileDescriptor[]): readonly string[] {
    const clashes: string[] = [];
    for (const file of files) {
      const before = this.files.get(file.name);
      if (before !== undefined) clashes.push(...clashesOf(before, file));
      const merged = before === undefined ? file : merge(before, file);
      this.files.set(file.name, merged);
      for (const symbol of symbolsOf(merged)) this.fileOfSymbol.set(symbol, merged.name);
    }
    return clashes;
  }

  /** Returns a file and all its dependencies, serialized; `null` for an unknown name. */
  withDependencies(name: string): readonly Uint8Array[] | null {
    if (!this.files.has(name)) return null;
    const found = new Map<string, FileDescriptor>();
    const visit = (each: string): void => {
      const file = this.files.get(each);
      if (file === undefined || found.has(each)) return;
      found.set(each, file);
      file.dependency.forEach(visit);
    };
    visit(name);
    return [...found.values()].map(encodeFile);
  }

  /** Returns the name of the file that defines a service, method, message, enum or field; `null` for an unknown symbol. */
  fileOf(symbol: string): string | null {
    return this.fileOfSymbol.get(symbol) ?? null;
  }
}

const merge = (one: FileDescriptor, other: FileDescriptor): FileDescriptor => ({
  ...one,
  dependency: [...new Set([...one.dependency, ...other.dependency])].sort(),
  messageType: unionByName(one.messageType, other.messageType),
  enumType: unionByName(one.enumType, other.enumType),
  service: unionByName(one.service, other.service),
});

const unionByName = <T extends { readonly name: string }>(
  one: readonly T[],
  other: readonly T[],
): readonly T[] => {
  const present = new Set(one.map(({ name }) => name));
  return [...one, ...other.filter(({ name }) => !present.has(name))];
};

const clashesOf = (one: FileDescriptor, other: FileDescriptor): string[] =>
  other.messageType.flatMap((message) => {
    const before = one.messageType.find(({ name }) => name === message.name);
    const isSame = before === undefined || JSON.stringify(before) === JSON.stringify(message);
    return isSame ? [] : [qualifiedName(other.package, message.name)];
  });

const qualifiedName = (prefix: string, name: string): string => (prefix === "" ? name : `${prefix}.${name}`);

const symbolsOf = ({ package: space, messageType, enumType, service }: FileDescriptor): string[] => [
  ...messageType.flatMap((message) => symbolsOfMessage(space, message)),
  ...enumType.map(({ name }) => qualifiedName(space, name)),
  ...service.flatMap(({ name, method }) => {
    const full = qualifiedName(space, name);
    return [full, ...method.map((each) => `${full}.${each.name}`)];
  }),
];

const symbolsOfMessage = (
  prefix: string,
  { name, field, nestedType, enumType }: MessageDescriptor,
): string[] => {
  const full = qualifiedName(prefix, name);
  return [
    full,
    ...field.map((each) => `${full}.${each.name}`),
    ...enumType.map((each) => `${full}.${each.name}`),
    ...nestedType.flatMap((nested) => symbolsOfMessage(full, nested)),
  ];
};
