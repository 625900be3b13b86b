import {
  getNamedType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  type OperationDefinitionNode,
  typeFromAST,
} from "graphql";
import { reservedWords } from "./reserved-words.ts";

/** TypeScript types of the built-in scalars in inputs; other scalars are `unknown`. */
const scalars: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ID: "string | number",
    String: "string",
    Int: "number",
    Float: "number",
    Boolean: "boolean",
  }),
);

/** Generates the types of variables, and of the input objects in them. */
export class InputTypes {
  private readonly schema: GraphQLSchema;
  private readonly objects = new Map<string, string>();

  constructor(schema: GraphQLSchema) {
    this.schema = schema;
  }

  /** Interfaces of all used input objects, sorted by name. */
  get declarations(): readonly string[] {
    return [...this.objects].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  }

  /** Returns the type of an operation's variables. */
  ofVariables({ variableDefinitions = [] }: OperationDefinitionNode): string {
    const members = variableDefinitions.map(({ variable, type: node, defaultValue }) => {
      const type = typeFromAST(this.schema, node as never) as GraphQLInputType; // an input type, because the document is valid
      const isRequired = isNonNullType(type) && defaultValue === undefined;
      return `readonly ${variable.name.value}${isRequired ? "" : "?"}: ${this.of(type)}`;
    });
    return members.length === 0 ? "Record<never, never>" : `{ ${members.join("; ")} }`;
  }

  private of(type: GraphQLInputType): string {
    if (isNonNullType(type)) return this.ofNonNull(type.ofType);
    return `${this.ofNonNull(type)} | null`;
  }

  private ofNonNull(type: GraphQLInputType): string {
    if (isListType(type)) return `readonly (${this.of(type.ofType)})[]`;
    const named = getNamedType(type);
    if (isEnumType(named))
      return named
        .getValues()
        .map(({ name }) => JSON.stringify(name))
        .join(" | ");
    if (!isInputObjectType(named)) return scalars.get(named.name) ?? "unknown";
    const name = this.nameOf(named);
    if (!this.objects.has(name)) {
      this.objects.set(name, ""); // an input object may contain itself
      const members = Object.values(named.getFields()).map(
        (field) =>
          `  readonly ${field.name}${isRequiredInputField(field) ? "" : "?"}: ${this.of(field.type)};`,
      );
      this.objects.set(name, [`export interface ${name} {`, ...members, "}"].join("\n"));
    }
    return name;
  }

  /** Returns the name of an input object's interface: with the suffix `Input` if the module itself or TypeScript uses the name. */
  private nameOf(type: GraphQLInputObjectType): string {
    let { name } = type;
    while (takenTypes.has(name) || (name !== type.name && this.schema.getType(name) !== undefined))
      name += "Input";
    return name;
  }
}

/** Types that the generated module declares or uses, and names that TypeScript reserves. */
const takenTypes: ReadonlySet<string> = new Set([
  ..."ClientOptions Operation Promise Readonly Record RequestInit Response Result".split(" "),
  ..."any bigint boolean infer keyof never number object readonly string symbol undefined unique unknown".split(
    " ",
  ),
  ...reservedWords,
]);
