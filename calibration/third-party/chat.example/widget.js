// A chat widget that comes after everything else: a frame in the corner.
document.body.append(Object.assign(document.createElement("iframe"), {
  src: "https://chat.example/chat.html",
  style: "position: fixed; right: 24px; bottom: 24px; width: 320px; height: 120px; border: 0; z-index: 99998",
}));
