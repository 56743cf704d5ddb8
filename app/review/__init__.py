"""A review of one pull request or merge group, from its head to the check run: `app.review.review` is the page to read first."""
