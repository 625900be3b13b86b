import {
  type DocumentNode,
  type FieldNode,
  getNamedType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from "graphql";
import { defaultOf } from "../graphql-js/versions.ts";
import { optionsOf } from "../schema/build-schema.ts";

/** Arguments that limit how many items a field returns. */
const sizeArguments = new Set(["first", "last", "limit"]);

type AnyField = GraphQLField<unknown, unknown>;

/** Returns the default list size of an argument, or 1. */
const defaultSizeOf = (argument: GraphQLArgument): number => {
  const value = defaultOf(argument);
  return typeof value === "number" ? value : 1;
};

const noFields: readonly AnyField[] = [];

/** Returns the implementations of an interface's field, of which one is executed; none for a field of another type. */
const implementationsOf = (
  schema: GraphQLSchema,
  parent: GraphQLNamedType | undefined,
  name: string,
): readonly AnyField[] =>
  isInterfaceType(parent)
    ? schema.getPossibleTypes(parent).flatMap((type) => type.getFields()[name] ?? [])
    : noFields;

const ownCost = (field: AnyField): number => optionsOf(field).cost ?? 1;

/** Arguments of `costOf`: an operation and the values of its variables. */
export interface CostParts {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Returns the cost of an operation: for each field its own cost (`cost` of its options, default 1), and the costs of its fields times the list size given by
 * `first`, `last` or `limit`, or by their defaults; for a field of an interface, the highest values among it and its implementations. A list of scalars costs
 * its own cost times its size. `@skip` and `@include` are ignored. The document must be free of cycles.
 */
export const costOf = ({ schema, document, operation, variables }: CostParts): number => {
  const fragments = new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
    ),
  );
  const fragmentCosts = new Map<string, number>();
  /** Returns `undefined` for a variable without a value, and for `null`, which resolvers usually treat like no value: the default of the argument applies. */
  const sizeOf = (value: ValueNode): number | undefined => {
    if (value.kind === Kind.INT || value.kind === Kind.FLOAT) return Number(value.value);
    if (value.kind === Kind.NULL) return undefined;
    if (value.kind !== Kind.VARIABLE) return 1;
    const name = value.name.value;
    const given = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (given === null) return undefined;
    if (given !== undefined) return typeof given === "number" ? given : 1;
    const initial = operation.variableDefinitions?.find(
      ({ variable }) => variable.name.value === name,
    )?.defaultValue;
    return initial === undefined ? undefined : sizeOf(initial);
  };
  const itemsOf = (node: FieldNode, field: AnyField): number => {
    let items = 1;
    for (const argument of field.args) {
      if (!sizeArguments.has(argument.name)) continue;
      const given = node.arguments?.find(({ name }) => name.value === argument.name);
      const size = (given === undefined ? undefined : sizeOf(given.value)) ?? defaultSizeOf(argument);
      items = Math.max(items, size);
    }
    return items;
  };
  const ofField = (node: FieldNode, parent: GraphQLNamedType | undefined): number => {
    const field =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[node.name.value] : undefined;
    const inner = (type: GraphQLNamedType | undefined): number =>
      node.selectionSet === undefined ? 0 : ofSet(node.selectionSet, type);
    if (field === undefined) return 1 + inner(undefined);
    let items = itemsOf(node, field);
    let own = ownCost(field);
    for (const each of implementationsOf(schema, parent, field.name)) {
      items = Math.max(items, itemsOf(node, each));
      own = Math.max(own, ownCost(each));
    }
    return node.selectionSet === undefined ? own * items : own + items * inner(getNamedType(field.type));
  };
  const ofFragment = (name: string): number => {
    const cost = fragmentCosts.get(name);
    if (cost !== undefined) return cost;
    const node = fragments.get(name);
    if (node === undefined) return 0;
    const computed = ofSet(node.selectionSet, schema.getType(node.typeCondition.name.value));
    fragmentCosts.set(name, computed);
    return computed;
  };
  const ofSet = ({ selections }: SelectionSetNode, parent: GraphQLNamedType | undefined): number => {
    let cost = 0;
    for (const node of selections) {
      if (node.kind === Kind.FIELD) cost += ofField(node, parent);
      else if (node.kind === Kind.FRAGMENT_SPREAD) cost += ofFragment(node.name.value);
      else {
        const condition = node.typeCondition?.name.value;
        cost += ofSet(node.selectionSet, condition === undefined ? parent : schema.getType(condition));
      }
    }
    return cost;
  };
  return ofSet(operation.selectionSet, schema.getRootType(operation.operation) ?? undefined);
};
