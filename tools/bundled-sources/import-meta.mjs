// Rolldown options that keep the `import.meta.url`, `filename` and `dirname` of each source in a bundle.

const nameOf = (property) => `__module_${property}`;

/** @param expressions functions by property of `import.meta`: each returns the expression for that property from the file of the module */
export const keepImportMeta = (expressions) => {
  const declarations = (file) =>
    Object.entries(expressions)
      .map(
        ([property, expressionOf]) => `const ${nameOf(property)} = /* @__PURE__ */ ${expressionOf(file)}; `,
      )
      .join("");
  return {
    plugins: [
      {
        name: "import-meta",
        transform: {
          filter: { code: /\bimport\.meta\./ },
          handler: (code, file) => code.replace(/^(?:#!.*\n)?/, (hashbang) => hashbang + declarations(file)),
        },
      },
    ],
    define: Object.fromEntries(
      Object.keys(expressions).map((property) => [`import.meta.${property}`, nameOf(property)]),
    ),
  };
};
