// A consent banner: asks for its texts, then puts itself over the foot of the page.
fetch("https://consent.example/texts.json").then((answer) => answer.json()).then((texts) => {
  const style = document.createElement("style");
  style.textContent = `#consent { position: fixed; inset: auto 0 0 0; padding: 24px; z-index: 99999;
    background: #fff; color: #222; font: 16px/1.5 sans-serif; box-shadow: 0 0 24px #0006 }`;
  const banner = document.createElement("div");
  banner.id = "consent";
  banner.append(texts.question, " ", ...texts.purposes.map((purpose) => {
    const label = document.createElement("label");
    label.append(Object.assign(document.createElement("input"), { type: "checkbox" }), ` ${purpose} `);
    return label;
  }));
  document.head.append(style);
  document.body.append(banner);
});
