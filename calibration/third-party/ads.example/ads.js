// An advertisement: runs an auction, then puts a frame into the slot.
{
  const until = performance.now() + 40;
  let bids = 0;
  while (performance.now() < until) bids += Math.sqrt(bids + 1);
  fetch("https://ads.example/bids.json").then((answer) => answer.json()).then(({ frame }) => {
    const slot = document.getElementById("ad-slot");
    slot.append(Object.assign(document.createElement("iframe"), {
      src: frame, width: 728, height: 90, style: "border: 0",
    }));
  });
}
