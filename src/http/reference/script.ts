/** The program of the reference: samples with the address of the service, buttons that copy them, forms that send. */
export const script = `
for (const code of document.querySelectorAll("figure code")) {
  code.textContent = code.textContent.replaceAll("http://localhost:3000", location.origin)
  const button = document.createElement("button")
  button.textContent = "Copy"
  button.onclick = async () => {
    await navigator.clipboard.writeText(code.textContent)
    button.textContent = "Copied"
  }
  code.closest("figure").querySelector("figcaption").append(button)
}
document.addEventListener("submit", async (event) => {
  event.preventDefault()
  const form = event.target
  const output = form.querySelector("output")
  const query = new URLSearchParams()
  let path = form.dataset.path
  for (const { dataset, name, value } of form.querySelectorAll("input")) {
    if (dataset.in === "path") path = path.replace("{" + name + "}", encodeURIComponent(value))
    else if (value !== "") query.set(name, value)
  }
  const key = document.getElementById("key").value
  const body = form.querySelector("textarea")?.value
  const headers = { ...(key === "" ? {} : { "x-api-key": key }), ...(body === undefined ? {} : { "content-type": "application/json" }) }
  output.textContent = "…"
  try {
    const started = performance.now()
    const response = await fetch(path + (query.size === 0 ? "" : "?" + query), { method: form.dataset.method, headers, body })
    const text = await response.text()
    output.textContent = response.status + ", " + Math.round(performance.now() - started) + " ms\\n" + text.slice(0, 20000)
  } catch (error) {
    output.textContent = String(error)
  }
})
`
