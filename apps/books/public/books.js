const list = document.querySelector("#books");

const show = async () => {
  const { books } = await (await fetch("/books")).json();
  list.replaceChildren(
    ...books.map(({ title, author }) => {
      const item = document.createElement("li");
      item.textContent = `${title}, ${author}`;
      return item;
    }),
  );
};

const feed = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/feed`);
feed.addEventListener("open", show); // not before: a change in between would go unseen
feed.addEventListener("message", show);
