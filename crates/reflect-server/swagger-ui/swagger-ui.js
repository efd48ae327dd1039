// Left out: the page of the API loads swagger-ui-bundle.js.
