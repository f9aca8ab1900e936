"""What the pages of docs/ show, and the site that is made of them."""
