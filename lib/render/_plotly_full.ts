import licence from "plotly.js-dist-min/LICENSE" with { type: "text" };
import source from "plotly.js-dist-min/plotly.min.js" with { type: "text" };

export { licence, source };
